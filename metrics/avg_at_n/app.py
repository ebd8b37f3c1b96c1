"""The demo of this metric. The Space of this folder starts it."""

from at_k.demo.app import launch

if __name__ == "__main__":
    launch("avg_at_n")

"""The demo, opened at this metric. The Space of this folder starts it."""

from at_k.demo.app import launch

if __name__ == "__main__":
    launch(page="metrics", metric="pass_at_k")

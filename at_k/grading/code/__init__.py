"""Run candidate programs with their tests, and say which passed.

A verdict is the end of `python tests.py`, with the program as a module whose names the tests have, in a process of
their own, if the tests ran and something in them decided. A test program shares a process with what it tests, and so
promises nothing about a program made to deceive it; `docs/checking.md` lists the known ways. Of cases of input and
output, no process of which the program is a copy knows the outputs.

With `isolation="namespaces"` in an outcome, the kernel kept the program from the network, from all other processes,
from writing outside of its directory, and from seeing homes but for Python's folders, /proc, /run and /tmp. With
`"limits"`, the kernel only bounded what the program used, and, if this process is root's, ran it as a user who owns
nothing.

Under each of these, Landlock, where the kernel has it, kept the program from all files but its own, those of Python, of
`sys.path` and of the system, and from the environment of other processes; and seccomp from memory and messages that
outlive it, from namespaces of its own, and, without namespaces, from sockets. Where there are neither namespaces nor
Landlock, a program runs with `isolation="none"` alone: it could read and change what its user may.
"""

from at_k.grading.code.pool import run_each
from at_k.grading.code.protocol import HarnessError, Outcome, ProgramLimits

__all__ = ["HarnessError", "Outcome", "ProgramLimits", "run_each"]

"""Run candidate programs with their tests, and say which passed.

A program passes if it and then the reference test program ran to their ends, in a process of their own. Nothing else is
taken for that: not the exit code, not what was printed, not a message without the token that `program.execute` keeps.

What is caught, wherever it runs:

- programs that end early, loop, sleep, use too much, or leave processes, files and threads behind;
- programs that replace built-in functions in `builtins`, look for the token in frames and the garbage collector, trace
  their caller, replace the operators of the tests, or fork in order to try every answer: `os.fork` is refused;
- objects that claim of a stranger to equal it, to hold it, to be less or greater, or to differ from it by nothing, in
  what the test program calls, compares, and hands to functions that assert, such as `assertEqual`;
- tests that nobody calls: they are called, and a test program that decides nothing, or holds tests that cannot be
  called, passes nothing.

What is not, so that all this deters and does not prevent:

- An object that tells the check from the tests, as by being equal to its guess of the reference alone, or that hides
  within an object of another class.
- A function that reads the expected values out of the frame of the tests that call it, or runs the code of that frame
  to try answers.
- A program that changes what the tests use by name: modules, global variables, and, by way of a frame or the garbage
  collector, their built-in functions. So an object that equals everything can also turn off the check for it.
- Code that reads and writes the memory of its own process, by ctypes or a module in C. It can do all that the tests
  can, and so can claim that they passed. Where there are namespaces, it still cannot reach beyond them.

Programs that are judged by cases of input and output share no process with what they must print or return.

With `isolation="namespaces"` in an outcome, the kernel kept the program from the network, from all other processes,
from writing outside of its directory, and from seeing homes but for Python's folders, /proc, /run and /tmp. The name of
a sandbox stands for what that does. With `"limits"`, the kernel only bounded what the program used, and, if this
process is root's, ran it as a user who owns nothing. Changes of files, the network, signals and /proc were then refused
by way of Python, which a program that starts others gets around.

Under any of these, Landlock, where the kernel has it, kept the program from all files but its own, those of Python, of
`sys.path` and of the system, and from the environment of other processes; and seccomp from memory and messages that
outlive it, and, without namespaces, from sockets. Without Landlock it could read what its user may. Where only root can
read Python, and there are neither namespaces nor Landlock, no program runs. The memory of a program that forks is
bounded for each of its processes.
"""

from at_k.grading.code.outcomes import HarnessError, Outcome
from at_k.grading.code.pool import run_each

__all__ = ["HarnessError", "Outcome", "run_each"]

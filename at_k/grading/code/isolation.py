"""Separate a process from the network, from other processes, and from the files of the machine.

Most of it is system calls of Linux that Python does not offer, or offers from 3.12 on, called through ctypes. What the
kernel refuses raises `OSError`. Containers often refuse; the caller then does without.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import resource
import socket
import struct
import sys
from collections.abc import Sequence
from contextlib import suppress
from math import ceil
from pathlib import Path
from typing import Any

from at_k.grading.code.protocol import ProgramLimits

CLONE_NEWNS, CLONE_NEWUTS, CLONE_NEWIPC = 0x00020000, 0x04000000, 0x08000000
CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = 0x10000000, 0x20000000, 0x40000000
MS_NOSUID, MS_NODEV, MS_BIND, MS_REC, MS_PRIVATE = 0x2, 0x4, 0x1000, 0x4000, 0x40000
AT_FDCWD, AT_RECURSIVE, SYS_MOUNT_SETATTR, MOUNT_ATTR_RDONLY = -100, 0x8000, 442, 0x1
PR_SET_DUMPABLE, PR_SET_KEEPCAPS, PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT = (
    4,
    8,
    36,
    38,
    47,
)
PR_CAP_AMBIENT_RAISE = 2
MNT_DETACH = 0x2
CAPABILITY_VERSION_3 = 0x20080522
CAP_DAC_READ_SEARCH = 2
SYS_LANDLOCK_CREATE_RULESET, SYS_LANDLOCK_ADD_RULE, SYS_LANDLOCK_RESTRICT_SELF = 444, 445, 446
LANDLOCK_CREATE_RULESET_VERSION, LANDLOCK_RULE_PATH_BENEATH = 1, 1
# Numbers of users that no account has: systemd hands them out to services while these run.
FIRST_USER, USERS = 61_184, 4_336

# Directories that a program sees empty.
# They hold the memory of processes, and the sockets of agents, displays and container engines. A program could
# connect to these although files are read-only. /proc comes last: the others need it.
PRIVATE = ("/tmp", "/var/tmp", "/run", "/proc")

# Directories of users, which a program sees empty but for the folders of Python in them.
HOMES = ("/root", "/home")

SIOCSIFFLAGS, IFF_UP = 0x8914, 0x1
SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW = 1, 4
SECCOMP_RET_ALLOW, SECCOMP_RET_ERRNO = 0x7FFF0000, 0x00050000
# Operations of the filters that the kernel runs before each system call.
LOAD, JUMP_EQUAL, JUMP_AT_LEAST, JUMP_IF_ANY, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06

# For each kind of machine: its name to the kernel, the numbers of seccomp, clone and prlimit64, and those of the
# refused calls.
# The first are those for memory, messages and keys that outlive a process or belong to another one, and for
# namespaces, in which a program has rights; the others are refused where there are no namespaces.
CALLS: dict[str, tuple[int, int, int, int, tuple[int, ...], tuple[int, ...]]] = {
    # shmget semget msgget mq_open ptrace process_vm_readv/writev add_key request_key keyctl bpf perf_event_open
    # userfaultfd io_uring_setup unshare setns; and, without namespaces, socket mknod mknodat
    "x86_64": (
        *(
            0xC000003E,
            317,
            56,
            302,
            (29, 64, 68, 240, 101, 310, 311, 248, 249, 250, 321, 298, 323, 425, 272, 308),
        ),
        (41, 133, 259),
    ),
    "aarch64": (
        *(
            0xC00000B7,
            277,
            220,
            261,
            (194, 190, 186, 180, 117, 270, 271, 217, 218, 219, 280, 241, 282, 425, 97, 268),
        ),
        (198, 33),
    ),
}

CLONE3 = 435
NAMESPACES = (
    CLONE_NEWNS
    | CLONE_NEWUTS
    | CLONE_NEWIPC
    | CLONE_NEWUSER
    | CLONE_NEWPID
    | CLONE_NEWNET
    | 0x02000000
)

# Directories and files of the system that a program may read.
READABLE = (
    *(
        "/usr",
        "/bin",
        "/sbin",
        "/lib",
        "/lib32",
        "/lib64",
        "/opt",
        "/nix",
        "/sys/devices/system/cpu",
    ),
    *(
        "/etc/group",
        "/etc/hosts",
        "/etc/ld.so.cache",
        "/etc/localtime",
        "/etc/mime.types",
        "/etc/nsswitch.conf",
    ),
    *("/etc/os-release", "/etc/passwd", "/etc/ssl/certs", "/etc/ssl/openssl.cnf", "/etc/timezone"),
)

# Paths that a program may write to beside its directory. Files in /dev/shm would stay without a namespace.
DEVICES = tuple(f"/dev/{name}" for name in ("full", "null", "random", "tty", "urandom", "zero"))

_libc = ctypes.CDLL(None, use_errno=True)
for _name in ("capset", "prctl", "syscall"):
    # To look them up after a fork would copy 40 of the 440 pages that a program writes to
    getattr(_libc, _name)


def _call(name: str, *arguments: object) -> int:
    """Call a function of the C library that returns a negative number on failure. Return what it returns."""
    result = int(getattr(_libc, name)(*arguments))
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{name}: {os.strerror(code)}")
    return result


def _control_process(option: int, *values: int) -> None:
    _call("prctl", option, *(ctypes.c_ulong(value) for value in (*values, 0, 0, 0, 0)[:4]))


def enter_namespaces() -> None:
    """Leave the network and the processes of the machine. Children of the caller are inside."""
    # A user without privileges needs a user namespace for it. An administrator does without, and then programs can run
    # as a user that the kernel limits: no limit on processes holds for root.
    flags = CLONE_NEWNET | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS
    try:
        _call("unshare", flags)
    except PermissionError:
        user = os.geteuid()
        group = os.getegid()
        _call("unshare", flags | CLONE_NEWUSER)
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
        Path("/proc/self/gid_map").write_text(f"{group} {group} 1")


def connect_to_itself() -> None:
    """Let programs in this namespace of networks reach servers of their own, at 127.0.0.1."""
    with socket.socket() as any_socket:
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sh22x", b"lo", IFF_UP))


def arrange_mounts(place: str, needed: Sequence[str]) -> None:
    """Make all files read-only for this process, and hide the homes of users and the directories of `PRIVATE`."""
    # Where root's programs run as another user, a directory that only root may enter is hidden too, so that the folders
    # of Python below it can be entered.
    _call("unshare", CLONE_NEWNS)
    _call("mount", None, b"/", None, MS_REC | MS_PRIVATE, None)
    paths = sorted(
        {path for folder in needed for path in (os.path.abspath(folder), os.path.realpath(folder))}
    )
    if os.geteuid() == 0:
        parents = {str(parent) for path in paths for parent in Path(path).parents}
    else:
        parents = set()
    closed = {parent for parent in parents if not os.stat(parent).st_mode & 0o001}
    homes = {*HOMES, os.path.expanduser("~"), *closed} - {"/", *PRIVATE}
    for private in (*sorted(homes), *PRIVATE):
        inside = [path for path in paths if path.startswith(f"{private}/")]
        if private not in paths and os.path.realpath(private) == private and os.path.isdir(private):
            _hide(private, inside)
    os.makedirs(place, exist_ok=True)
    # Struct mount_attr: set, clear, propagation, user
    read_only = (ctypes.c_uint64 * 4)(MOUNT_ATTR_RDONLY, 0, 0, 0)
    _call(
        "syscall", SYS_MOUNT_SETATTR, AT_FDCWD, b"/", AT_RECURSIVE, read_only, ctypes.c_size_t(32)
    )


def _hide(directory: str, visible: Sequence[str]) -> None:
    """Mount an empty file system over a directory, and let some directories below it show through."""
    handles = {path: os.open(path, os.O_PATH) for path in visible}
    mount_memory(directory, 16 * 2**20, mode=0o755)
    for path, handle in handles.items():
        if not os.path.isdir(path):  # a directory within one that is visible already is visible too
            os.makedirs(path)
            _call(
                "mount", f"/proc/self/fd/{handle}".encode(), os.fsencode(path), None, MS_BIND, None
            )
        os.close(handle)


def mount_memory(directory: str, size: int, *, mode: int, owner: int | None = None) -> None:
    """Mount an empty file system in memory over a directory."""
    options = f"size={size},nr_inodes=10000,mode={mode:o}"
    if owner is not None:
        options += f",uid={owner},gid={owner}"
    _call(
        "mount", b"tmpfs", os.fsencode(directory), b"tmpfs", MS_NOSUID | MS_NODEV, options.encode()
    )


def unmount(directory: str) -> None:
    """Remove what is mounted over a directory, with all files in it."""
    _call("umount2", os.fsencode(directory), MNT_DETACH)


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent has ended, so that it can be found."""
    _control_process(PR_SET_CHILD_SUBREAPER, 1)


def shut_memory() -> None:
    """Close the memory of this process to others of the same user, and forbid programs that raise privileges."""
    _control_process(PR_SET_NO_NEW_PRIVS, 1)
    _control_process(PR_SET_DUMPABLE, 0)


def give_up_privileges(user: int | None, *, may_read: bool) -> None:
    """Become another user, unless that is None, and drop all capabilities."""
    if user is not None:
        if may_read:
            _control_process(PR_SET_KEEPCAPS, 1)
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
    kept = 0
    if user is not None and may_read:
        kept = 1 << CAP_DAC_READ_SEARCH
    _call(
        "capset",
        struct.pack("2I", CAPABILITY_VERSION_3, 0),
        struct.pack("6I", kept, kept, kept, 0, 0, 0),
    )
    if kept:
        _control_process(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_DAC_READ_SEARCH)


def find_landlock() -> int:
    """Return the version of Landlock, by which a process gives up the right to files; 0 if there is none."""
    arguments = (
        SYS_LANDLOCK_CREATE_RULESET,
        None,
        ctypes.c_size_t(0),
        LANDLOCK_CREATE_RULESET_VERSION,
    )
    return int(max(0, _libc.syscall(*arguments)))


def allow_files(readable: Sequence[str], writable: Sequence[str]) -> int | None:
    """Make a set of rules by which a process may open files, for `restrict_files`. Return its handle."""
    # Where there is no Landlock, or its first version, which forbids to move files between directories, return None.
    version = find_landlock()
    if version < 2:
        return None
    of_files = 0b111 | (1 << 14 if version > 2 else 0)  # run, write, read; and truncate
    everything = (1 << 14) - 1 | of_files  # also list, make, remove and move what is in a directory
    # From version 6 on, signals and abstract sockets reach no process without these rules. Before, the last is unknown.
    if version > 5:
        handled = struct.pack("QQQ", everything, 0, 0b11)
    else:
        handled = struct.pack("Q", everything)
    rules = _call("syscall", SYS_LANDLOCK_CREATE_RULESET, handled, ctypes.c_size_t(len(handled)), 0)
    for paths, allowed in ((readable, 0b1101), (writable, everything)):
        for path in filter(os.path.exists, paths):
            handle = os.open(path, os.O_PATH)
            rights = allowed
            if not os.path.isdir(path):
                rights = allowed & of_files
            rule = rights.to_bytes(8, sys.byteorder) + handle.to_bytes(4, sys.byteorder)
            _call("syscall", SYS_LANDLOCK_ADD_RULE, rules, LANDLOCK_RULE_PATH_BENEATH, rule, 0)
            os.close(handle)
    return rules


def make_filter(*, network: bool) -> tuple[int, bytes, object] | None:
    """Make a filter of system calls that no program under test needs, for `restrict_calls`."""
    # Where there is no seccomp, or the numbers of the calls of this machine are not known, return None.
    machine = CALLS.get(os.uname().machine)
    if machine is None:
        return None
    name, seccomp, clone, prlimit, always, outside = machine
    refused = always
    if not network:
        refused = (*always, *outside)
    count = len(refused)
    refusal = RETURN, 0, 0, SECCOMP_RET_ERRNO | errno.EPERM
    number, first_argument = (LOAD, 0, 0, 0), (LOAD, 0, 0, 16)
    steps = [
        (LOAD, 0, 0, 4),
        (JUMP_EQUAL, 1, 0, name),
        refusal,
    ]  # calls by the numbers of another machine
    steps += [number, (JUMP_AT_LEAST, count + 8, 0, 0x40000000)]  # those of x32
    steps += [(JUMP_EQUAL, count + 7 - place, 0, each) for place, each in enumerate(refused)]
    # No filter sees the flags of clone3. Where the kernel does not have it, the C library takes clone. A process may
    # change its own limits, by the number 0: those of others of its user are those of the supervisor.
    steps += [
        (JUMP_EQUAL, 8, 0, CLONE3),
        (JUMP_EQUAL, 0, 2, prlimit),
        first_argument,
        (JUMP_EQUAL, 3, 4, 0),
        (JUMP_EQUAL, 0, 2, clone),
        first_argument,
        (JUMP_IF_ANY, 1, 0, NAMESPACES),
    ]
    steps += [
        (RETURN, 0, 0, SECCOMP_RET_ALLOW),
        refusal,
        (RETURN, 0, 0, SECCOMP_RET_ERRNO | errno.ENOSYS),
    ]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
    return seccomp, struct.pack("HxxxxxxP", len(steps), ctypes.addressof(code)), code


def restrict_calls(made: tuple[int, bytes, object] | None) -> None:
    """Let the kernel refuse this process, and all that it starts, the system calls of a filter."""
    if made is not None:
        with suppress(OSError):  # a kernel without seccomp
            _call(
                "syscall", made[0], SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, made[1]
            )


def restrict_files(rules: int | None) -> None:
    """Let this process, and all that it starts, open no files but those that rules allow."""
    # It also has no access to the memory and the environment of processes without these rules, and from Linux 6.12 on
    # sends them no signals. All this binds a process that has the right to read all files, too.
    if rules is not None:
        _call("syscall", SYS_LANDLOCK_RESTRICT_SELF, rules, 0)


def choose_user(needed: Sequence[str], number: int) -> tuple[int | None, bool]:
    """Return the user that programs run as, None for the present one, and whether it needs to read all files."""
    if os.geteuid() != 0:
        return None, False
    user = FIRST_USER + number % USERS
    for may_read in (False, True):
        if _can_read_as(user, needed, may_read=may_read):
            return user, may_read
    return None, False


def _can_read_as(user: int, directories: Sequence[str], *, may_read: bool) -> bool:
    """Return whether a process can become a user and then read directories."""
    child = os.fork()
    if child == 0:
        try:
            give_up_privileges(user, may_read=may_read)
            for directory in directories:
                os.listdir(directory)
            os._exit(0)
        except BaseException:  # noqa: BLE001 - whatever it is, it cannot
            os._exit(1)
    return os.waitpid(child, 0)[1] == 0


def apply_limits(limits: ProgramLimits, *, other_tasks: int, shared: int) -> None:
    """Put the calling process, and all that it starts, under limits that it cannot raise again."""
    wanted = {
        # The supervisor measures processor time more finely, and of all processes together. This is a second net.
        resource.RLIMIT_CPU: ceil(limits.timeout) + 1,
        resource.RLIMIT_FSIZE: limits.file_size,
        resource.RLIMIT_NOFILE: limits.open_files,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NPROC: limits.processes + other_tasks,
        resource.RLIMIT_AS: limits.memory + shared,
    }
    for which, amount in wanted.items():
        _, hardest = resource.getrlimit(which)
        if hardest == resource.RLIM_INFINITY:
            least = amount
        else:
            least = min(amount, hardest)
        resource.setrlimit(which, (least, least))


class RefusedError(RuntimeError):
    """A right program may do what is refused here: it has no verdict if it ends by this."""


def refuse_forks(event: str, arguments: tuple[Any, ...]) -> None:
    """Refuse copies of a program, each of which would run the tests. A program may still start others."""
    if event in ("os.fork", "os.forkpty"):
        raise RefusedError(
            "programs may not fork here, as multiprocessing does; threads are allowed"
        )

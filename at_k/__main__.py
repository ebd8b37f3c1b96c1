"""The command `at-k`, also as `python -m at_k`: what may end it before its first line runs is one sentence."""

import os
import signal
import sys

# Bytes of address space. With less, OpenBLAS asks for memory again and again, and never ends.
_NEEDED = 10**9


# Bytes of address space from which Arrow may reserve a gigabyte: of 1.5, it leaves too little for OpenBLAS.
_PLENTY = 2 * 10**9

# The status of a command that was interrupted: 128 and the number of the signal.
_INTERRUPTED = 130


def main() -> None:
    """Run the command."""
    # Products of matrices are small here; threads for them, in NumPy and in SciPy, take .1 s of CPU to start.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        _refuse_tight_limit()
        from at_k.cli import app

        app(prog_name="at-k")
    except KeyboardInterrupt:  # while modules load
        pass
    except SystemExit as end:
        if end.code != _INTERRUPTED:  # so Typer ends where it is interrupted, and says nothing
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # all is printed, and Python ends
            raise
    except ImportError as error:
        if "failed to map segment" not in str(error):
            raise
        sys.exit(
            "There is not enough address space to load the libraries. Raise its limit: ulimit -v unlimited"
        )
    print("Interrupted.", file=sys.stderr)
    sys.exit(_INTERRUPTED)


def _refuse_tight_limit() -> None:
    try:
        from resource import RLIM_INFINITY, RLIMIT_AS, getrlimit
    except ImportError:  # Windows has no such limits
        return
    limit, _ = getrlimit(RLIMIT_AS)
    if limit != RLIM_INFINITY and limit < _PLENTY:
        os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    if limit != RLIM_INFINITY and limit < _NEEDED:
        sys.exit(
            f"The address space is limited to {limit / 1e6:,.0f} MB, and at-k needs {_NEEDED / 1e6:,.0f} MB to load. "
            "Raise the limit: ulimit -v unlimited"
        )


if __name__ == "__main__":
    main()

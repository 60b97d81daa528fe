"""A child process that ends when its parent does, however that dies."""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def die_with_parent(signum: int = signal.SIGKILL, parent: int | None = None) -> None:
    """Ask the kernel to send this process `signum` when the thread that started it ends (Linux; elsewhere nothing
    happens).

    `parent` is the pid that the starter had: when it died before this call, the signal is raised at once. Meant for
    the first moment of a child: the initializer of a worker process, or the wrapper that `deploy.local` puts before a
    command.
    """
    if sys.platform != "linux":
        return
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, int(signum), 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_PDEATHSIG)")
    if parent is not None and os.getppid() != parent:
        os.kill(os.getpid(), signum)

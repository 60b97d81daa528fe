"""A child process that ends when its parent does, however that dies.

As a library: `die_with_parent` as initializer of a worker process. As a program, an exec wrapper that changes user,
ties the child's life to its starter's and becomes the command:

    python -I -S parent.py <starter's pid> <signal> <user or -> <command> [argument ...]

The kernel sends the signal when the starter dies, also by kill -9 (PR_SET_PDEATHSIG). Why this and not its rivals: a
watchdog pipe needs one more process that can itself be killed; `preexec_fn` runs Python between fork and exec, which
may hang in a program that has threads or has imported grpc; and the kernel forgets the setting when the user changes,
so it must come after that, in the child.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def die_with_parent(signum: int = signal.SIGKILL, parent: int | None = None) -> None:
    """Ask the kernel to send this process `signum` when the thread that started it ends.

    `parent` is the pid that the starter had: when it died before this call, the signal is raised at once. Linux only;
    elsewhere nothing happens. OSError when the kernel refuses.
    """
    if sys.platform != "linux":
        return
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, int(signum), 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_PDEATHSIG)")
    if parent is not None and os.getppid() != parent:
        os.kill(os.getpid(), signum)


def main() -> None:
    """Become the command; never returns."""
    starter, signum, user, command = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4:]
    if user != "-":
        become(user)
    die_with_parent(signum, starter)
    os.execvp(command[0], command)


def become(user: str) -> None:
    """Change to another user with that user's groups (root only)."""
    import pwd  # not where there are no users

    entry = pwd.getpwnam(user)
    os.initgroups(user, entry.pw_gid)
    os.setgid(entry.pw_gid)
    os.setuid(entry.pw_uid)


if __name__ == "__main__":
    main()

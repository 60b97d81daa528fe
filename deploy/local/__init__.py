"""Stamtafel on one machine with nothing installed: `python -m deploy.local up`, or `LocalStack` in tests."""

from deploy.local.children import ChildFailed
from deploy.local.lock import Running
from deploy.local.stack import LocalStack, StackOptions

__all__ = ["ChildFailed", "LocalStack", "Running", "StackOptions"]

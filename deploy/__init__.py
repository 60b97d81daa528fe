"""Where Stamtafel runs:

One machine without anything installed (`local`), containers, Kubernetes, and what watches them.
"""

"""Carrom by the French palet rules: docs/rules/carrom.md."""

"""Trictrac, the Dutch café dice game: 1 and 2 beats everything. Rules: docs/rules/trictrac.md."""

"""Klaverjas: four seats, two sides, sixteen boompjes. Rules: docs/rules/klaverjas.md."""

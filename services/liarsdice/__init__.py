"""Danish tavern liar's dice with the way to Viborg (docs/rules/liarsdice.md)."""

"""How strong the regulars are, measured."""

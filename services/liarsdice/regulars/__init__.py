"""How the regulars think: what they make of bids, and how they mix their calls."""

"""What the strongest regular plays with: many rounds side by side, a net, a search. Numpy only."""

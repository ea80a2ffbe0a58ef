"""What every server of ours needs: where it listens, by which names it is called, who may ask."""

"""A small made-up world, to look around in."""

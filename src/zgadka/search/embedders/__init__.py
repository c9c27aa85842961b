"""What makes vectors of texts, so that recall finds what was said in other words. By default there is none."""

"""Export, import, copies from store to store, and importers of other products' data."""

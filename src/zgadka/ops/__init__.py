"""One verb a file: plain functions over an open transaction that decide everything and wait for nothing."""

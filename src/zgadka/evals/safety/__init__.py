"""What must never happen, tried thousands of times: `zgadka eval safety`."""

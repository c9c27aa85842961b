"""What text means to memory: canonical values, keys, words, refusals, cleaning. Pure functions, no I/O."""

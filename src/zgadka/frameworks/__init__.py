"""Other people's agent frameworks, each in a file: they translate and decide nothing; the host says who speaks."""

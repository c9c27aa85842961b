"""The tools that models call: typed functions whose signature and docstring are the declaration."""

"""`python -m zgadka` is the command line."""

from zgadka.cli import main

if __name__ == "__main__":
    main()

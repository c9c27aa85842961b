"""`python -m zgadka` is the command line."""

from zgadka.cli.main import main

if __name__ == "__main__":
    main()

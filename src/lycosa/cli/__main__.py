"""`python -m lycosa.cli` does what the command `lycosa` does."""

from lycosa.cli import main

if __name__ == "__main__":
    main()

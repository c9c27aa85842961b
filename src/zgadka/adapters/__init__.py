"""The former place of `zgadka.frameworks`; kept for programs that import it from here."""

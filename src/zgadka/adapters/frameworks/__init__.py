"""The former place of `zgadka.frameworks`: the same modules, with a deprecation warning."""

from __future__ import annotations

from warnings import warn

from zgadka import frameworks

warn("zgadka.adapters.frameworks is now zgadka.frameworks", DeprecationWarning, stacklevel=2)
__path__ = frameworks.__path__

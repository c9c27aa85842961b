"""What was done, over time: kept, and thinned out as it grows old."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

from zgadka.stores.tx import Tx
from zgadka.stores.tx.usage_stats import ABOVE, Kind

_FINE = timedelta(days=2)
"""For how long the charts know every five minutes; then, every hour."""

_BOUNDS = (0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)


def keep_activity(tx: Tx, counts: Mapping[Kind, tuple[int, int]]) -> None:
    """Add what was done in this process since the last time, and how much waits now."""
    depth = tx.tasks.count_waiting()
    bound = next((bound for bound in _BOUNDS if depth <= bound), ABOVE)
    tx.usage.add({**counts, Kind("queue", bound=bound): (1, depth)})


def thin_activity(tx: Tx) -> int:
    """Add up what is old by the hour and drop what is older than the settings say; returns how many rows went."""
    return tx.usage.thin(_FINE, timedelta(days=tx.settings.activity_days))


def has_old_activity(tx: Tx) -> bool:
    """Whether there is anything to thin out."""
    return tx.usage.has_old(_FINE)

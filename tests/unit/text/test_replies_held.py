"""The replies that were held back while the rules were written; see `tests/data/replies.md`."""

import pytest
from reply_labels import check_bars


@pytest.mark.long
def test_yes_and_no_are_understood_in_replies_that_the_rules_were_not_written_by() -> None:
    check_bars("replies_held")

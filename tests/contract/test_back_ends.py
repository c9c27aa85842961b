"""What is left out without `--long`: some back ends of a case, but no case, engine or layout altogether."""

from __future__ import annotations


def engine(back_end):
    return back_end.partition("-")[0]


def test_no_case_is_left_out_altogether(offered, chosen):
    def cases(some):
        return {(case.file, case.test, case.parameters) for case in some}

    assert cases(chosen) == cases(offered)


def test_no_test_misses_an_engine(offered, chosen):
    def engines(some):
        return {(case.file, case.test, engine(case.back_end)) for case in some}

    assert engines(chosen) == engines(offered)


def test_every_file_has_a_test_on_divided_tables(offered, chosen):
    def divided(some):
        return {case.file for case in some if case.back_end == "postgres-partitioned"}

    assert divided(chosen) == divided(offered), "mark one of the file's tests `partitioned`"

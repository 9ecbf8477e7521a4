"""Jobs on several processes: kin together, none lost to the death of another, faults raised in the parent."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable

import psutil
import pytest
from projects import PATIENCE

from audit.processes import spread

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="fork")


def own_process(seconds: float) -> int:
    time.sleep(seconds)
    return os.getpid()


def in_step(workers: int) -> Callable[[], int]:
    """Jobs that end together, one of each worker: none is ahead, however slow a worker is."""
    together = multiprocessing.Barrier(workers)

    def work() -> int:
        together.wait(PATIENCE)
        return os.getpid()

    return work


def test_kin_go_to_one_process() -> None:
    kin = [("a",), ("a",), ("a",), ("b",), ("b",), ("b",)]
    process = dict(spread(in_step(2), [()] * 6, 2, kin))
    assert set(process) == set(range(6))
    assert process[0] == process[1] == process[2] != process[3] == process[4] == process[5]


def test_the_largest_groups_are_begun_first() -> None:
    kin = [("a",), ("b",), ("b",), ("c",), ("c",), ("c",)]
    begun = [place for place, _ in spread(in_step(2), [()] * 6, 2, kin)][:2]
    assert set(begun) == {1, 3}


def test_wide_kin_go_to_one_process_one_module_before_the_next() -> None:
    kin = [("a", 1), ("a", 2), ("b", 3), ("b", 4), ("b", 3), ("b", 5), ("b", 4)]
    after_b, after_a = multiprocessing.Event(), multiprocessing.Event()
    before = {
        0: after_b,
        5: after_a,
        6: after_a,
    }  # so that neither process is without kin of its own

    def work(place: int) -> int:
        if place in before:
            assert before[place].wait(PATIENCE)
        return os.getpid()

    process: dict[int, int] = {}
    for place, who in spread(work, [(place,) for place in range(7)], 2, kin):
        process[place] = who
        if len(process) == 3:
            after_b.set()
        if place == 1:
            after_a.set()
    assert list(process)[:3] == [2, 4, 3]
    assert process[0] == process[1] != process[2]
    assert {process[place] for place in (2, 3, 4)} == {process[2]}


def test_no_process_waits_while_kin_of_another_have_work() -> None:
    process = dict(spread(in_step(2), [()] * 8, 2, [("a",)] * 8))
    shares = [list(process.values()).count(each) for each in set(process.values())]
    assert shares == [4, 4]


def test_of_jobs_fewer_than_workers_each_has_a_process() -> None:
    process = dict(spread(own_process, [(0.1,)] * 3, 8, [(0,)] * 3))
    assert len(set(process.values())) == 3


def test_the_death_of_a_worker_costs_its_own_job_alone() -> None:
    def work(place: int) -> int:
        if place == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(0.02)
        return 10 * place

    found = dict(spread(work, [(place,) for place in range(6)], 2, [(0,)] * 6))
    assert found == {place: 10 * place for place in (0, 2, 3, 4, 5)}


@pytest.mark.parametrize("fault", [ValueError("no"), SystemExit("gone")])
def test_what_a_job_raises_is_raised_with_its_place_and_leaves_no_process(fault: Exception) -> None:
    def work(place: int) -> int:
        if place == 2:
            raise fault
        return place

    before = {child.pid for child in psutil.Process().children()}
    with pytest.raises(type(fault), match=str(fault)) as raised:
        list(spread(work, [(place,) for place in range(4)], 2, [(k,) for k in range(4)]))
    assert "in work" in raised.value.__notes__[0]
    assert {child.pid for child in psutil.Process().children()} <= before


def test_an_answer_that_cannot_be_sent_is_a_fault() -> None:
    with pytest.raises(Exception, match="pickle"):
        list(spread(lambda: lambda: 0, [()], 1, [(0,)]))


def test_stopping_early_leaves_no_process() -> None:
    before = {child.pid for child in psutil.Process().children()}
    begun = spread(own_process, [(0.0,), (30.0,), (30.0,)], 2, [(k,) for k in range(3)])
    assert next(begun)[0] == 0
    begun.close()
    assert {child.pid for child in psutil.Process().children()} <= before

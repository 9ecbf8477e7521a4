"""Jobs on several processes: kin together, none lost to the death of another, faults raised in the parent."""

from __future__ import annotations

import os
import signal
import sys
import time

import psutil
import pytest

from audit.processes import spread

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="fork")


def own_process(seconds: float) -> int:
    time.sleep(seconds)
    return os.getpid()


def test_kin_go_to_one_process() -> None:
    kin = [("a",), ("a",), ("a",), ("b",), ("b",), ("b",)]
    process = dict(spread(own_process, [(0.02,)] * 6, 2, kin))
    assert set(process) == set(range(6))
    assert process[0] == process[1] == process[2] != process[3] == process[4] == process[5]


def test_wide_kin_go_to_one_process_and_the_largest_are_begun_first() -> None:
    kin = [("a", 1), ("a", 2), ("b", 3), ("b", 4), ("b", 3), ("b", 5), ("b", 4)]
    done = list(spread(own_process, [(0.1,)] * 7, 2, kin))
    process = dict(done)
    assert process[0] == process[1] != process[2] == process[4]
    assert [place for place, _ in done[:2]] in ([0, 2], [2, 0])
    of_b = [place for place, who in done if who == process[2]]
    assert of_b[:3] == [2, 4, 3]  # of one module before the next


def test_no_process_waits_while_kin_of_another_have_work() -> None:
    process = dict(spread(own_process, [(0.1,)] * 8, 2, [("a",)] * 8))
    shares = [list(process.values()).count(each) for each in set(process.values())]
    assert len(shares) == 2 and min(shares) >= 3


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

"""Time limits on the processor: in the main thread by a signal, elsewhere by a clock; nested ones hold."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Callable
from decimal import Context, getcontext, setcontext
from time import perf_counter, sleep, thread_time

import flint
import mpmath
import pytest
from sympy import Expr, Integer, Symbol
from sympy.core.parameters import global_parameters

from claims.clock import worked
from claims.domain import Domain, Point, Size
from claims.model import Claim, Relation, Source
from claims.time_limits import TimeUp, at_most, searching
from claims.witness import value_at, writes_out_quickly

Body = Callable[[], None]
n = Symbol("n", integer=True, positive=True)


def here(body: Body) -> None:
    body()


def in_thread(body: Body) -> None:
    """Run a body in a thread of its own; what it raises is raised here."""
    raised: list[BaseException] = []

    def guarded() -> None:
        try:
            body()
        except BaseException as error:
            raised.append(error)

    thread = threading.Thread(target=guarded)
    thread.start()
    thread.join(60)
    assert not thread.is_alive()
    for error in raised:
        raise error


def busy(seconds: float) -> None:
    end = perf_counter() + seconds
    while perf_counter() < end:
        pass


HELD = 500_000
"""Lists that make a collection of garbage take longer than the limits below."""


@pytest.fixture(scope="module")
def full() -> list[list[int]]:
    return [[k] for k in range(HELD)]


@pytest.mark.parametrize("place", [here, in_thread])
class TestLimits:
    def test_collecting_garbage_is_not_working(
        self, place: Callable[[Body], None], full: list[list[int]]
    ) -> None:
        """How much a process holds says nothing of what is asked."""

        def body() -> None:
            began, cpu = worked(), thread_time()
            with at_most(0.01):
                gc.collect()
            assert worked() - began < 0.01 < thread_time() - cpu

        place(body)

    def test_a_definition_is_not_costly_for_the_garbage_collected_in_it(
        self, place: Callable[[Body], None], full: list[list[int]]
    ) -> None:
        def body() -> None:
            toy = Claim(
                id="toy.claim", source=Source("toy", "Sec. 1"), kind="identity", title="",
                statement=Relation("n", (n,)), domain=Domain((Size(n, 1, 9),)), define=collecting,
            )  # fmt: skip
            assert value_at(toy, {n: Integer(1)}) == 1
            assert writes_out_quickly(toy.define)

        def collecting(point: Point) -> Expr:
            gc.collect()
            return point[n]

        place(body)

    def test_waiting_is_not_working(self, place: Callable[[Body], None]) -> None:
        """What a busy machine takes away from the work does not count against it."""

        def body() -> None:
            with at_most(0.1):
                sleep(0.4)

        place(body)

    def test_what_was_to_be_put_back_is(self, place: Callable[[Body], None]) -> None:
        """A limit may strike while a library works with few digits, or without evaluation."""

        def settings() -> tuple[object, ...]:
            return mpmath.mp.prec, flint.ctx.prec, getcontext().prec, global_parameters.evaluate

        def body() -> None:
            before = settings()
            with searching(0.05):
                mpmath.mp.prec, flint.ctx.prec = 2, 7
                setcontext(Context(prec=9))
                global_parameters.evaluate = False
                busy(20)
            assert settings() == before

        place(body)

    def test_long_work_is_stopped(self, place: Callable[[Body], None]) -> None:
        def body() -> None:
            with at_most(0.05):
                busy(20)

        began = perf_counter()
        with pytest.raises(TimeUp):
            place(body)
        assert perf_counter() - began < 10

    def test_the_outer_of_two_limits_holds(self, place: Callable[[Body], None]) -> None:
        def body() -> None:
            with at_most(0.2):
                for _ in range(400):
                    with at_most(10):
                        busy(0.05)

        began = perf_counter()
        with pytest.raises(TimeUp):
            place(body)
        assert perf_counter() - began < 15

    def test_what_a_search_found_in_its_time_stands(self, place: Callable[[Body], None]) -> None:
        found: list[int] = []

        def body() -> None:
            with at_most(10), searching(0.05):
                found.append(1)
                busy(20)
                found.append(2)
            found.append(3)

        place(body)
        assert found == [1, 3]

    def test_a_search_within_another_ends_with_it(self, place: Callable[[Body], None]) -> None:
        """It would pass for one that found nothing in its own time."""
        passed: list[str] = []

        def body() -> None:
            with searching(0.05):
                with searching(10), searching(5):
                    busy(20)
                passed.append("inner")
            passed.append("outer")

        place(body)
        assert passed == ["outer"]

    def test_short_work_is_left_alone_and_the_limit_is_gone_afterwards(
        self, place: Callable[[Body], None]
    ) -> None:
        def body() -> None:
            with at_most(0.2):
                busy(0.01)
            busy(0.4)

        place(body)

    def test_work_that_ends_at_its_limit_leaves_nothing_behind(
        self, place: Callable[[Body], None]
    ) -> None:
        """Neither a limit of before, nor an interpreter in which traced calls no longer return."""
        stopped = 0

        def body() -> None:
            nonlocal stopped
            for k in range(60):
                try:
                    # Some ticks of the timer, and what is long on a busy machine, too.
                    with at_most(8e-3):
                        busy(64e-3 * (k % 20) / 20 if k % 20 else 1.0)
                except TimeUp:
                    stopped += 1
            assert sys.getprofile() is None

        place(body)
        assert 3 <= stopped < 60
        before = sys.gettrace()
        sys.settrace(lambda *_: None)
        try:
            busy(0.01)
        finally:
            sys.settrace(before)

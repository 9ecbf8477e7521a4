"""Masks: refusals that name value, rule and remedy; closed forms; the two numbers called diameter."""

from __future__ import annotations

from pathlib import Path
from random import Random
from time import perf_counter
from typing import Any

import networkx as nx
import pytest
from sympy import ImmutableDenseMatrix, Rational

from claims.masks import (
    Mask,
    MaskError,
    causal,
    check_stochastic,
    complete,
    cycle,
    one_directional,
    read_mask,
    sliding_window,
    spider,
    star,
)
from claims.wu2024.masks import Graphs, layers_to_mix

SIZES = range(2, 13)


SPIDER = spider(3, 2)


@pytest.mark.parametrize("size", SIZES)
def test_radii_have_closed_forms(size: int) -> None:
    assert complete(size).radius == causal(size).radius == star(size).radius == 1
    assert one_directional(size).radius == size - 1
    assert sliding_window(size).radius == cycle(size).radius == size // 2
    assert star(size, undirected=True).radius == 1


@pytest.mark.parametrize("size", SIZES)
def test_ordinary_diameters_are_other_numbers(size: int) -> None:
    assert complete(size).ordinary_diameter == 1
    assert sliding_window(size).ordinary_diameter == size - 1
    assert cycle(size).ordinary_diameter == size // 2
    assert star(size, undirected=True).ordinary_diameter == min(2, size - 1)


@pytest.mark.parametrize("mask", [*map(sliding_window, SIZES), *map(cycle, SIZES), SPIDER])
def test_tokens_mix_after_the_ordinary_diameter(mask: Mask) -> None:
    assert layers_to_mix(mask) == mask.ordinary_diameter >= mask.radius


def test_smaller_radius_does_not_mean_fewer_layers() -> None:
    assert SPIDER.radius < cycle(7).radius
    assert layers_to_mix(SPIDER) > layers_to_mix(cycle(7))


def test_matrix_has_a_row_per_attending_token() -> None:
    assert causal(3).matrix == ImmutableDenseMatrix([[1, 0, 0], [1, 1, 0], [1, 1, 1]])
    assert causal(3).neighbours(2) == [1, 2] and causal(3).in_degree == 3


def test_an_edge_outside_the_tokens_is_refused() -> None:
    with pytest.raises(MaskError, match=r"edge \(1, 4\): tokens are 1 to 3; mend the edge"):
        Mask("bad", 3, frozenset({(1, 4)}))
    with pytest.raises(MaskError, match="0 tokens; give at least one"):
        Mask("empty", 0, frozenset())


def test_radius_needs_a_token_that_reaches_all() -> None:
    apart = Mask("apart", 2, frozenset({(1, 1), (2, 2)}))
    assert not apart.is_quasi_strongly_connected
    with pytest.raises(MaskError, match="no token reaches every token; give a quasi-strongly"):
        _ = apart.radius


def test_ordinary_diameter_needs_strong_connection() -> None:
    with pytest.raises(MaskError, match=r"causal\(3\): not strongly connected"):
        _ = causal(3).ordinary_diameter


def test_masks_are_read_from_edges(tmp_path: Path) -> None:
    file = tmp_path / "chain.txt"
    file.write_text("# j i\n1 1\n\n1 2  # token 2 attends to token 1\n2 2\n", encoding="utf-8")
    assert read_mask(file) == Mask("chain", 2, one_directional(2).edges)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 1\n1 two\n", r"line 2: '1 two': write two token numbers from 1 on"),
        ("0 1\n", r"line 1: '0 1'"),
        ("1 2 3\n", r"line 1: '1 2 3'"),
        ("# nothing\n", "holds no edge; write one"),
        ("1 \u0662\n", "write two token numbers"),
        ("1 \uff12\n", "write two token numbers"),
        (f"1 {'9' * 5000}\n", "write two token numbers"),
        ("1 1\n1 99999999\n", "line 2: token 99999999: a mask has at most 4096 tokens"),
        ("__import__('os') 1\n", "write two token numbers"),
    ],
)
def test_files_that_do_not_parse_are_refused(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "mask.txt"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(MaskError, match=message):
        read_mask(file)


def test_unreadable_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(MaskError, match="cannot be read"):
        read_mask(tmp_path / "missing.txt")
    binary = tmp_path / "mask.bin"
    binary.write_bytes(b"\xff\xfe\x00\x81")
    with pytest.raises(MaskError, match="cannot be read"):
        read_mask(binary)


@pytest.mark.parametrize(
    "matrix",
    [
        [[1, 0], [Rational(1, 3), Rational(2, 3)]],
        ImmutableDenseMatrix([[1, 0], [Rational(1, 3), Rational(2, 3)]]),
        [[1.0, 0.0], [0.1, 0.9]],
    ],
)
def test_attention_matrices_are_accepted(matrix: Any) -> None:
    check_stochastic(matrix)
    check_stochastic(matrix, causal(2))


@pytest.mark.parametrize(
    ("matrix", "mask", "message"),
    [
        ([[1, 0], [1, 1]], None, "row 2 sums to 2: must sum to 1; divide the row by its sum"),
        ([[0.5, 0.5], [0.5, 0.4]], None, r"row 2 sums to 0\.9"),
        ([[2, -1], [0, 1]], None, "row 1, column 2 is -1: must not be negative; apply the softmax"),
        ([[float("nan"), 1], [0, 1]], None, "row 1, column 1 is nan"),
        (
            [[Rational(1, 2), Rational(1, 2)], [0, 1]],
            causal(2),
            r"row 1, column 2 is 1/2: token 1 does not attend to token 2 on causal\(2\)",
        ),
        ([[1, 0], [0, 1]], causal(3), "must be 3 x 3; give one row and one column per token"),
        ([[1, 0]], None, "must be 1 x 1"),
    ],
)
def test_other_matrices_are_refused(matrix: Any, mask: Mask | None, message: str) -> None:
    with pytest.raises(MaskError, match=message):
        check_stochastic(matrix, mask)


@pytest.mark.parametrize("seed", range(40))
def test_distances_and_connectivity_are_those_of_networkx(seed: int) -> None:
    rng = Random(seed)
    size, share = rng.randint(1, 12), rng.choice((0.05, 0.15, 0.4))
    span = range(1, size + 1)
    edges = frozenset((j, i) for j in span for i in span if rng.random() < share)
    mask, graph = Mask("random", size, edges), nx.DiGraph(edges)
    graph.add_nodes_from(span)
    lengths = dict(nx.all_pairs_shortest_path_length(graph))
    assert all(mask.hops(j, i) == lengths[j].get(i, size) for j in span for i in span)
    assert mask.is_strongly_connected == nx.is_strongly_connected(graph)
    assert mask.centre_nodes == tuple(v for v in span if len(lengths[v]) == size)
    assert mask.is_quasi_strongly_connected == bool(mask.centre_nodes)
    assert [mask.farthest(v) for v in span] == [max(lengths[v].values()) for v in span]
    assert all(mask.neighbours(i) == sorted(graph.predecessors(i)) for i in span)
    assert mask.in_degree == max(dict(graph.in_degree).values())
    assert mask.matrix == ImmutableDenseMatrix(
        size, size, lambda i, j: int((j + 1, i + 1) in edges)
    )


def test_masks_of_real_layers_take_a_moment() -> None:
    started = perf_counter()
    for family in (complete, causal, sliding_window, cycle):
        mask = family(700)
        assert mask.is_quasi_strongly_connected and mask.in_degree > 1
    assert complete(700).ordinary_diameter == 1 and layers_to_mix(sliding_window(700)) == 699
    assert perf_counter() - started < 60  # networkx takes minutes


def test_random_graphs_on_many_tokens_have_distances() -> None:
    """With a share of all edges every two of some hundred tokens would be two steps apart.

    Some are as far apart as they can be.
    """
    drawn = [Graphs(strong=True).of_size(Random(seed), {}, 400) for seed in range(8)]
    assert all(mask.size == 400 and mask.has_self_loops for mask in drawn)
    longest = [mask for mask in drawn if mask.ordinary_diameter == 399]
    others = [mask for mask in drawn if mask not in longest]
    assert longest and len({mask.ordinary_diameter for mask in others} - {1, 2}) > 1
    assert all(6 < len(mask.edges) / mask.size < 40 for mask in others)


def test_few_tokens_are_as_far_apart_as_they_can_be() -> None:
    graphs = Graphs(low=4, high=4, centred=True)
    drawn = [graphs.draw(Random(seed), {}) for seed in range(24)]
    assert {mask.radius for mask in drawn} == {1, 2, 3}

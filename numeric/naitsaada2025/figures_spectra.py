"""Eigenvalues of several attentions, and of softmax attention on unit tokens."""

from __future__ import annotations

from torch import Tensor

from claims.domain import Point
from claims.naitsaada2025 import figures_spectra as claims
from claims.naitsaada2025.notation import gamma, sigma_qk
from numeric.agreement import Measured
from numeric.figures import Panel, Settings, Table, figure
from numeric.naitsaada2025.ensembles import (
    LAWS,
    attention,
    key_query_logits,
    markov,
    token_logits,
    unit_tokens,
    without_mean,
)
from numeric.naitsaada2025.extreme_singular_values import excess_rank, in_the_plane, largest_moduli
from numeric.naitsaada2025.spectral_gap import extrapolated
from numeric.registry import measures
from numeric.remembered import remembered
from numeric.sampling import Numbers, generator, normal, quick_stream
from numeric.trends import mean_of_runs

RUNS, SIGMA = 48, 0.5
RATIOS = (0.5, 1.0, 2.0, 4.0)


@figure(
    "naitsaada2025.fig-1",
    title="Eigenvalues of four kinds of attention, for growing T",
    caption=(
        r"Orthonormal tokens, $d_{qk} = T$, $\sigma_{qk} = 1$; the paper prints neither sizes nor the "
        r"normalisation of ReLU attention (here divided by $T$) and sigmoid attention (logits shifted by "
        r"$-\log T$). The bulk shrinks like $T^{-1/2}$; the outlier stays near the mean row sum: 1, 1, "
        r"$1/\sqrt{2\pi}$ and $\sqrt{e}$."
    ),
    panels=[
        Panel(name, "real", "imaginary", "real part", "imaginary part", group="T",
              where={"attention": name}, style="points")
        for name in claims.OUTLIERS
    ],
    settings={"tokens": (50, 100, 200)},
    tiny={"tokens": (4, 6)},
)  # fmt: skip
def eigenvalues_in_the_plane(settings: Settings) -> Table:
    """One matrix of each kind and size."""
    table: Table = []
    for name in settings.track(list(claims.OUTLIERS), "kinds of attention"):
        for size in settings["tokens"]:
            rng = generator(settings.seed, "naitsaada2025", "fig-1", "plane", name, size)
            table += in_the_plane(matrices_of(name, rng, 1, size)[0], attention=name, T=size)
    return table


def matrices_of(name: str, rng: Numbers, count: int, size: int) -> Tensor:
    """A kind of attention at d_qk = T, sigma_qk = 1."""
    if name == "markov":
        return markov(LAWS["exponential"], rng, count, size)
    return attention(name, key_query_logits(rng, count, size, size))


@remembered()
def moduli(name: str, size: int) -> Tensor:
    """The two largest |lambda| of a kind of attention; of small matrices, which vary more, many."""
    rng = quick_stream("naitsaada2025", "fig-1", name, size)
    return largest_moduli(matrices_of(name, rng, RUNS * max(1, 128 // size) ** 2, size))


@measures(claims.first)
def limit_of_the_outlier(point: Point) -> Measured:
    """|lambda_1|, with corrections of order 1/T."""
    name = str(point[claims.mechanism])
    return extrapolated([moduli(name, size)[:, 0] for size in (32, 64, 128)], 1)


@measures(claims.ratio)
def second_over_first(point: Point, size: int) -> Measured:
    """|lambda_2/lambda_1|."""
    found = moduli(str(point[claims.mechanism]), size)
    return mean_of_runs(found[:, 1] / found[:, 0])


@remembered()
def moduli_of_kind(name: str, size: int) -> Tensor:
    """The two largest |lambda|; of softmax attention less its mean where it is centred."""
    if name != "centred":
        return moduli(name, size)
    rng = quick_stream("naitsaada2025", "sec-1.1", size)
    return largest_moduli(without_mean(matrices_of("softmax", rng, 8 * RUNS, size)))


@measures(claims.gap)
def limit_of_second_over_first(point: Point) -> Measured:
    """|lambda_2/lambda_1|, with corrections of order T^(-1/2)."""
    found = [moduli_of_kind(str(point[claims.mechanism]), size) for size in (32, 64, 128)]
    return extrapolated([pair[:, 1] / pair[:, 0] for pair in found], 1 / 2)


@remembered()
def excess_of_layer(name: str, size: int) -> Tensor:
    """log(sr - 1) of the covariance of one layer; W X_0 is a square Gaussian matrix."""
    rng = quick_stream("naitsaada2025", "unique", name, size)
    x = normal(rng, 4 * RUNS, size, size)
    return excess_rank(matrices_of(name, rng, 4 * RUNS, size) @ x).log()


@measures(claims.layer_excess)
def excess_of_other_attentions(point: Point, size: int) -> Measured:
    """The mean of log(sr - 1)."""
    return mean_of_runs(excess_of_layer(str(point[claims.mechanism]), size))


@remembered()
def unit_token_spectra(ratio: float, sigma: float, size: int) -> tuple[Tensor, Tensor]:
    """All |lambda| of attention on unit tokens, and log(sr - 1) of the layer's covariance."""
    rng = quick_stream("naitsaada2025", "unit tokens", ratio, sigma, size)
    runs = 4 * RUNS if size > 64 else 8 * RUNS
    x = unit_tokens(rng, runs, size, ratio)
    d = x.shape[-1]
    matrices = attention("softmax", token_logits(x, rng, d, sigma))
    ranks = excess_rank(matrices @ x @ normal(rng, runs, d, d)).log()
    return largest_moduli(matrices[: 2 * RUNS], size), ranks


@measures(claims.unit_ratio)
def second_over_first_of_unit_tokens(point: Point, size: int) -> Measured:
    """|lambda_2/lambda_1|."""
    found = unit_token_spectra(float(point[gamma]), float(point[sigma_qk]), size)[0]
    return mean_of_runs(found[:, 1] / found[:, 0])


@measures(claims.excess)
def log_excess_of_the_rank(point: Point, size: int) -> Measured:
    """log(sr(Sigma) - 1)."""
    return mean_of_runs(unit_token_spectra(float(point[gamma]), float(point[sigma_qk]), size)[1])


@figure(
    "naitsaada2025.fig-10",
    title="Eigenvalues of softmax attention on unit tokens that are not orthogonal",
    caption=(
        r"Gaussian tokens brought to length one, $\gamma = T/d$, $d_{qk} = d$, $\sigma_{qk} = 1/2$, one matrix "
        r"of each kind; the paper prints no sizes. The outlier stays at 1; for $\gamma > 1$ the logits have "
        r"rank $d < T$ and leave more of the bulk near zero."
    ),
    panels=[
        Panel(rf"$\gamma = {ratio:g}$", "real", "imaginary", "real part", "imaginary part",
              group="T", where={"gamma": ratio}, style="points")
        for ratio in RATIOS
    ],
    settings={"tokens": (64, 256)},
    tiny={"tokens": (4, 8)},
)  # fmt: skip
def eigenvalues_of_unit_tokens(settings: Settings) -> Table:
    """One matrix for each ratio and size."""
    table: Table = []
    for ratio in settings.track(list(RATIOS), "ratios"):
        for size in settings["tokens"]:
            rng = generator(settings.seed, "naitsaada2025", "fig-10", ratio, size)
            x = unit_tokens(rng, 1, size, ratio)
            matrix = attention("softmax", token_logits(x, rng, x.shape[-1], SIGMA))[0]
            table += in_the_plane(matrix, gamma=ratio, T=size)
    return table


def bulk_shape(found: Tensor) -> Tensor:
    """Fourth moment over squared second moment of |lambda| without the first."""
    bulk = found[:, 1:]
    return (bulk**4).mean(dim=-1) / (bulk**2).mean(dim=-1) ** 2


@measures(claims.shape)
def shape_of_unit_tokens(point: Point) -> Measured:
    """At T = 128."""
    return mean_of_runs(
        bulk_shape(unit_token_spectra(float(point[gamma]), float(point[sigma_qk]), 128)[0])
    )


@remembered()
def isometric_shape() -> Measured:
    rng = quick_stream("naitsaada2025", "isometric shape")
    logits = key_query_logits(rng, RUNS, 128, 128, SIGMA)
    return mean_of_runs(bulk_shape(largest_moduli(attention("softmax", logits), 128)))


@measures(claims.isometric_shape)
def shape_of_orthonormal_tokens(point: Point) -> Measured:
    """At T = d_qk = 128."""
    return isometric_shape()

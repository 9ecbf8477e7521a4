r"""Whether a cut at the largest difference of singular values takes all outliers away (App. A.5, Fig. 6)."""

from __future__ import annotations

from typing import Any

from sympy import ImmutableDenseMatrix as Matrix
from sympy import Integer, Rational, Symbol

from claims.domain import Choice, Computed, Condition, Domain, Real, Size
from claims.model import Claim, Hypothesis, Understood
from claims.naitsaada2025.decompositions import both_decomposed, roots, vectors
from claims.naitsaada2025.figures_networks import fix_is_nearly_as_effective
from claims.naitsaada2025.full_rank import exact_rank
from claims.naitsaada2025.interlacing import ROW_STOCHASTIC
from claims.naitsaada2025.markov import A, Markov
from claims.naitsaada2025.notation import T, source
from claims.naitsaada2025.stable_rank import (
    DIGITS,
    decomposed,
    largest_gap,
    outliers_are_removed,
    removed,
    singular,
)
from claims.statement import Compare, ForAll
from claims.terms import entry, family

i = Symbol("i", integer=True)
apart = Symbol("kappa", real=True, positive=True)
value = family("s_{{{}}}(A)", lambda at, k: Rational(singular(at[A])[0][k - 1]).evalf(DIGITS))


def difference(of: Any, k: Any) -> Any:
    """s_k - s_(k+1)."""
    return of(k) - of(k + 1)


_root = lambda k: entry(roots)(k, 1)  # noqa: E731
LARGEST = ForAll(i, 1, T - 1, Compare(difference(_root, i), "<=", difference(_root, removed)))
cut = Domain((
    Size(T, 2, 4), Markov(A), *decomposed(A, roots, vectors),
    Computed(removed, largest_gap(A), known=(
        LARGEST, Compare(removed, ">=", 1), Compare(removed, "<=", T - 1))),
))  # fmt: skip
CUT = Hypothesis(r"r=\arg\max_{1\le i\le T-1}(s_i-s_{i+1})")
_one: dict[str, Any] = {
    "source": source("App. A.5; Sec. 4 and the caption of Fig. 6"), "kind": "algorithm",
}  # fmt: skip

SMALL = Compare(value(2), "<", Rational(1, 2))
ONE_OUTLIER = Compare(value(2), "<=", apart * value(3))
OUTLYING = Hypothesis(
    r"\kappa:\ \text{how far beyond the next one a singular value is called outlying; not printed}"
)

one_value_is_removed = Claim(
    id="naitsaada2025.app-A.5.all-outliers.repair",
    parent="naitsaada2025.app-A.5.all-outliers",
    title=(
        r"Where $s_2<\tfrac12$ the cut takes $s_1$ away and nothing else: all outliers only if $s_2$ is none."
    ),
    statement=SMALL.implies(Compare(removed, "=", 1))
    & (SMALL & ONE_OUTLIER).implies(Compare(value(removed + 1), "<=", apart * value(removed + 2))),
    domain=Domain((
        Size(T, 3, 4), Markov(A), *both_decomposed, *cut.variables[-1:], Real(apart, 0, open_low=True)
    )),
    hypotheses=(ROW_STOCHASTIC, CUT, OUTLYING),
    note=(
        r"$s_1\ge1$, so that the first difference exceeds $\tfrac12>s_2$, and no other does. Of i.i.d. "
        r"Markov matrices $s_2$ is of order $T^{-1/2}$. To remove all outliers, cut below the last value "
        r"that is outlying, and not at the largest difference."
    ),
    **_one,
)  # fmt: skip

_halves = Matrix.diag(Matrix.ones(2, 2) / 2, Matrix.ones(2, 2) / 2)
_levels = (Integer(3), Integer(1000))


def _two_outliers(level: Integer) -> Matrix:
    """Singular values 1, (k + 1)/(2k + 3) and twice 1/(2k + 3)."""
    parts = Matrix.eye(4) + level * _halves + (level + 2) * Matrix.ones(4, 4) / 4
    return parts / (2 * level + 3)


_many = Domain(
    (Size(T, 4, 5), *cut.variables[1:], Choice(apart, _levels)),
    (Condition(r"A\ \text{invertible}", lambda at: exact_rank(at[A]) == at[A].rows),),
)
all_outliers_are_removed = Claim(
    id="naitsaada2025.app-A.5.all-outliers",
    title="The cut at the largest difference of singular values removes all outliers.",
    statement=Compare(removed, "<=", T - 3).implies(
        Compare(value(removed + 1), "<=", apart * value(removed + 2))
    ),
    domain=_many,
    left_open=(apart,),
    hypotheses=(
        ROW_STOCHASTIC,
        CUT,
        OUTLYING,
        Hypothesis(r"\kappa\ \text{whatever it is, here}\ 3\ \text{and}\ 1000"),
    ),
    uses=(outliers_are_removed, fix_is_nearly_as_effective),
    severity="missing-hypothesis",
    repair=one_value_is_removed,
    probes=tuple(
        _many.completed({T: Integer(4), A: _two_outliers(level), apart: level}) for level in _levels
    ),
    understood=(
        Understood(
            r"$A$ is of full rank, as Sec. 2.3 says",
            r"singular values $1,\frac13,0,\dots,0$: every $\kappa$ is too small",
        ),
    ),
    printed=(
        r"\mathbf{A}^{\text{no outliers}} = \mathbf{A} - \sum_{i=1}^r s_i u_i v_i^\top, \quad "
        r"r := \arg \max_{1 \leq i \leq n-1} (s_i - s_{i+1})"
    ),
    note=(
        r"$\frac19I+\frac13P+\frac59\varphi\varphi^\top$, with the means $P$ over two pairs of tokens, has "
        r"the singular values $1,\frac49,\frac19,\frac19$: $r=1$ takes the first away and leaves $\frac49$, "
        r"four times the bulk; with $2\kappa+3$ and $\kappa+1$ for 9 and 4 there is such a matrix for every "
        r"$\kappa$. Where the first gap is the largest, as with softmax attention, the rule is the authors' "
        r"own fix up to $s_1u_1v_1^\top$ for $T^{-1}11^\top$, and a comparison with it (Fig. 6) says nothing "
        r"of a removal of all outliers. Missing is that no outlier lies below the largest difference."
    ),
    **_one,
)

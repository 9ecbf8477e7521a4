r"""Prop. 3.7 and Sec. 4: stable ranks of $\Sigma_\ell=X_\ell X_\ell^\top$ without a spectral gap.

Sizes are not printed; taken here: up to $T=128$ for the growth in $T$, and $T=d=24$ for the decrease in
depth.
"""

from __future__ import annotations

from sympy import Integer, Symbol

from claims.domain import Choice, Domain
from claims.model import Claim, Hypothesis, Mutant, Understood
from claims.naitsaada2025.notation import T_1, T, d_1, ell, source
from claims.naitsaada2025.second_moments import ORTHONORMAL
from claims.naitsaada2025.shares import EXPONENTIAL, GAMMA, TWO_POINT, law
from claims.statement import Compare, ForAll, Monotone, measured_family, measured_quantity

doublings = Symbol("k", integer=True, nonnegative=True)

growth = measured_quantity(
    r"\lim_{T\to\infty}\tfrac{\mathrm d}{\mathrm d\log T}\log\mathbb E\,\mathrm{sr}(\Sigma_\ell^\perp)"
)
share = measured_quantity(r"\lim_{T\to\infty}\mathbb E\,\mathrm{sr}(\Sigma_\ell^\perp)/T")
stable_rank_grows_linearly = Claim(
    id="naitsaada2025.prop-3.7",
    source=source("Sec. 3.2", "Prop. 3.7, Eq. (17)"),
    kind="limit",
    title=r"Without the gap the stable rank of $\Sigma_\ell^\perp$ grows like $C_\ell T$.",
    statement=growth.equals(1) & share.above(0),
    domain=Domain(
        (
            Choice(ell, (Integer(1), Integer(2))), Choice(T_1, (Integer(1),)),
            Choice(d_1, (Integer(1), Integer(2))), Choice(law, (GAMMA, TWO_POINT)),
        )
    ),
    hypotheses=(
        Hypothesis(r"\text{model (16)},\ \gamma=T_1/d_1"), ORTHONORMAL,
        Hypothesis(
            r"\text{measured for}\ Z\sim\mathrm{Exp}(1)\ \text{and for}\ Z\in\{\tfrac12,3\}\ "
            r"\text{with}\ \mathbb P(Z=3)=\tfrac15"
        ),
    ),
    mutants=(
        Mutant("bounded, as with the gap", growth.equals(0) & share.above(0)),
        Mutant("like the square root", growth.equals(Integer(1) / 2) & share.above(0)),
        Mutant("less than linearly", growth.equals(1) & share.equals(0)),
    ),
    printed=(
        r"\lim_{T \rightarrow \infty} \frac{\text{sr}(\Sigma_\ell^\perp)}{T} = C_\ell."
    ),
    understood=(
        Understood(
            r"isotropic tokens, $X_0X_0^\top=I$, which Sec. 3.1 gives before its statements and these leave "
            "out",
            "$X_0=1x^\\top$: $A_1^\\perp1=0$, so that $X_1^\\perp=0$ has no stable rank",
        ),
    ),
    note=(
        "read as Prop. 2.3 is: the exponent of $T$ is one, and the ratio tends to a positive number. "
        "$C_\\ell$ is the second moment of the limit law over the square of its edge, where the largest "
        "singular value goes to the edge; by the second moment of Prop. A.8 and (21) with fourth powers, "
        "its repair, the ratio stays away from $0$. So "
        r"$C_\ell=\frac{1+\ell(1+\gamma)}{e_\ell(\gamma)^2}$, "
        r"$e_\ell(\gamma)=\min_{z>0}\frac{(1+z)^{\ell+1}(1+\gamma z)^\ell}z$, whatever $\sigma_A$ and $m$; "
        r"at $\gamma=1$ it is $f(2\ell)$ with $f(n)=\frac{n^{2n}}{(n+1)^{2n+1}}$, $C_1=\frac{16}{243}$: "
        r"finite $T$ lies above. The printed proof bounds the ratio from below; that it has a limit is left "
        "unsaid."
    ),
)  # fmt: skip

_setting = Domain((Choice(T, (Integer(24),)),))
identity, gaussian, orthogonal = (
    measured_family(rf"\mathbb E\,\mathrm{{{{sr}}}}(\Sigma_{{{{{{}}}}}}^{{{{{name}}}}})")
    for name in ("A=I", r"W\sim\mathcal N", r"W\in O(d)")
)

rank_collapses_in_depth_for_identity_attention = Claim(
    id="naitsaada2025.sec-4.identity-attention",
    source=source("Sec. 4", "rank collapse observed in practice"),
    kind="prose",
    title="With $A=I$, of the highest stable rank and without gap, the rank still collapses in depth.",
    statement=Monotone(identity(2**doublings), doublings, ">", 0, 4),
    domain=_setting,
    hypotheses=(Hypothesis(r"A_\ell=I,\ (W_\ell^V)_{ij}\sim\mathcal N(0,1),\ T=d"), ORTHONORMAL),
    mutants=(Mutant("the rank grows", Monotone(identity(2**doublings), doublings, "<", 0, 4)),),
    note=(
        "Products of Gaussian matrices have distinct Lyapunov exponents, so that the stable rank tends "
        "to $1$ with depth at every fixed size. At fixed depth its share of $T$ tends to "
        r"$f(\ell)=\frac{\ell^{2\ell}}{(\ell+1)^{2\ell+1}}$ as $T=d\to\infty$: $\frac18$ after one layer, "
        r"$\frac{16}{243}$ after two."
    ),
)

orthogonal_values_slow_rank_collapse = Claim(
    id="naitsaada2025.sec-4.orthogonal-values",
    source=source("Sec. 4", "removing the spectral gap"),
    kind="prose",
    title="Orthogonal values slow the collapse of the rank in depth, and do not stop it.",
    statement=ForAll(
        doublings, 0, 3, Compare(gaussian(2**doublings), "<", orthogonal(2**doublings))
    )
    & Monotone(orthogonal(2**doublings), doublings, ">", 0, 4),
    domain=_setting,
    hypotheses=(
        Hypothesis(r"\text{model (16)},\ T=d,\ W_\ell^V\ \text{Gaussian, or uniform orthogonal}"),
        ORTHONORMAL, EXPONENTIAL,
    ),
    mutants=(
        Mutant(
            "the rank is kept",
            ForAll(
                doublings, 0, 3, Compare(orthogonal(2 ** (doublings + 1)), ">=", orthogonal(2**doublings))
            ),
        ),
    ),
    note=(
        "For attention without the gap: half the random factors are left: the share of $T$ tends to "
        r"$f(\ell)$ for orthogonal values and to $f(2\ell)$ for Gaussian ones, "
        r"$f(n)=\frac{n^{2n}}{(n+1)^{2n+1}}$. With the gap the stable rank is near one from the first "
        "layers on, whatever the values are. Where nothing but values acts, at $A=I$, orthogonal ones keep "
        r"$X_\ell X_\ell^\top=X_0X_0^\top$ and the stable rank as they are: they do eliminate the collapse "
        "there."
    ),
)  # fmt: skip

"""Which function proves which claim."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pkgutil import walk_packages

from claims.model import Claim
from claims.tables import Table
from proofs.certificate import Certificate

__all__ = ["PROOFS", "load", "proof_of", "proves"]

Proof = Callable[[Claim], Certificate]
PROOFS: Table[str, Proof] = Table()


def proves(*claims: Claim) -> Callable[[Proof], Proof]:
    """Register a proof.  It receives the claim, a mutant of it, or its repair, and judges what it got."""

    def register(proof: Proof) -> Proof:
        for claim in claims:
            if claim.id in PROOFS:
                raise ValueError(f"{claim.id} has two proofs: {PROOFS[claim.id]} and {proof}")
            PROOFS[claim.id] = proof
        return proof

    return register


def proof_of(claim: Claim) -> Proof | None:
    """The proof of a claim; a repair without one of its own is judged by its parent's proof."""
    return PROOFS.get(claim.id) or (PROOFS.get(claim.parent) if claim.parent else None)


def load(package: str = "proofs") -> None:
    """Import every module of a proof package, so that its proofs register themselves."""
    root = import_module(package)
    for module in walk_packages(root.__path__, f"{package}."):
        import_module(module.name)

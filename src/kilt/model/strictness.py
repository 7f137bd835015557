"""Which policies are at least as strict as others: so releases and bounds are carried from one to the other.

A policy is at least as strict as another if every principle of the other follows from one of its own, on every table.
``docs/frontier.md`` has the proof. No policy is called so by mistake, but some are not that could be: principles of
different kinds, forms, spaces or columns are never compared.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kilt.model.diversity import Distinct, Entropy, Frequency, Recursive
from kilt.model.policy import AverageCloseness, KAnonymity, LDiversity, Policy, Principle, TCloseness
from kilt.numbers import BoolArray

FORMS_WITH_ORDER = (Frequency, Distinct, Entropy, Recursive)  # in which a larger l is known to be stricter


def is_as_strict(policy: Policy, other: Policy) -> bool:
    """Say whether every release that meets the policy is known to meet the other one, too."""
    return all(any(implies(mine, theirs) for mine in policy.principles) for theirs in other.principles)


def implies(principle: Principle, other: Principle) -> bool:
    """Say whether a principle is known to imply another: of the same kind, about the same, and with a number as strict.

    A principle without a column is about all sensitive columns.
    """
    if isinstance(principle, KAnonymity) or isinstance(other, KAnonymity):
        return isinstance(principle, KAnonymity) and isinstance(other, KAnonymity) and principle.k >= other.k
    if principle.column not in (None, other.column):
        return False
    if isinstance(principle, LDiversity) and isinstance(other, LDiversity):
        same_form = isinstance(principle.form, FORMS_WITH_ORDER) and principle.form == other.form
        return same_form and principle.l >= other.l
    if isinstance(principle, TCloseness) and isinstance(other, TCloseness):
        return principle.space == other.space and principle.t <= other.t
    return isinstance(principle, AverageCloseness) and isinstance(other, AverageCloseness) and principle.t <= other.t


def strictness(policies: Sequence[Policy]) -> BoolArray:
    """Return a table that says in row i and column j whether policy i is at least as strict as policy j."""
    return np.array([[is_as_strict(policy, other) for other in policies] for policy in policies], dtype=bool)

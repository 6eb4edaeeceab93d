"""How far the claim of a question may go."""

from __future__ import annotations

from webapp.claims import block_design, judge
from webapp.claims.observations import GEOMETRIC, Contrast


def widest_scope(question: Contrast, stat: str = GEOMETRIC) -> str:
    """The scope of the widest claim whose needs are met, whatever the values are; empty where there is none."""
    plans = () if judge._flaw(question) else block_design.find_plans(question, stat)
    return next((plan.scope for plan in plans), "")

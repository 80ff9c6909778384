"""Figures over ranked turns, as fractions of 1."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from statistics import mean, median

ADVERSARIAL = "5"
"""The category whose questions name the wrong person on purpose (LoCoMo): bringing back its evidence is not wanted."""

ROUNDS, SEED = 2000, 7


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one system found for one question: turn ids, best first; how long it took; what its first ten cost; and the turns that
    fitted into each token budget."""

    conversation: str
    category: str
    evidence: Set[str]
    ranked: Sequence[str]
    milliseconds: float
    tokens: int = 0
    within: Mapping[int, Set[str]] = field(default_factory=dict[int, Set[str]])


def recall(ranked: Sequence[str], evidence: Set[str], k: int) -> float:
    return len(set(ranked[:k]) & evidence) / len(evidence)


def ndcg(ranked: Sequence[str], evidence: Set[str], k: int) -> float:
    gain = sum(1 / math.log2(at + 2) for at, id_ in enumerate(ranked[:k]) if id_ in evidence)
    return gain / sum(1 / math.log2(at + 2) for at in range(min(k, len(evidence))))


def reciprocal_rank(ranked: Sequence[str], evidence: Set[str]) -> float:
    """Of the first turn that is evidence, among 50."""
    return next((1 / at for at, id_ in enumerate(ranked[:50], 1) if id_ in evidence), 0.0)


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that is not below `share` of them."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def interval(values: Sequence[float], rounds: int = ROUNDS) -> tuple[float, float]:
    """95 % of the mean, by resampling the questions; the same for the same values."""
    chance = random.Random(SEED)
    means = sorted(mean(chance.choices(values, k=len(values))) for _ in range(rounds))
    return means[int(0.025 * rounds)], means[int(0.975 * rounds) - 1]


def row(outcomes: Sequence[Outcome]) -> dict[str, float]:
    """The figures of these questions; each has evidence."""
    out = {f"recall@{k}": mean(recall(each.ranked, each.evidence, k) for each in outcomes) for k in (5, 10, 20)}
    out["ndcg@10"] = mean(ndcg(each.ranked, each.evidence, 10) for each in outcomes)
    out["mrr"] = mean(reciprocal_rank(each.ranked, each.evidence) for each in outcomes)
    for budget in sorted(outcomes[0].within):
        out[f"evidence@{budget}tokens"] = mean(len(each.within[budget] & each.evidence) / len(each.evidence) for each in outcomes)
    times = [each.milliseconds for each in outcomes]
    out |= {"n": len(outcomes), "search_p50_ms": median(times), "search_p95_ms": percentile(times, 0.95)}
    out["tokens@10"] = mean(each.tokens for each in outcomes)
    return {name: value if name == "n" else round(value, 4) for name, value in out.items()}


def table(outcomes: Sequence[Outcome]) -> dict[str, object]:
    """{"all", "1-4", "by_category"}: rows over all questions, over those of every category but the adversarial one, and by category; a
    group without questions is left out. "interval" is that of recall@10 in "1-4"."""
    groups: dict[str, list[Outcome]] = {}
    for each in outcomes:
        groups.setdefault(each.category, []).append(each)
    wanted = [each for each in outcomes if each.category != ADVERSARIAL]
    out: dict[str, object] = {"all": row(outcomes)} if outcomes else {}
    if wanted:
        low, high = interval([recall(each.ranked, each.evidence, 10) for each in wanted])
        out["1-4"] = row(wanted)
        out["interval"] = [round(low, 4), round(high, 4)]
    out["by_category"] = {name: row(groups[name]) for name in sorted(groups, key=lambda name: (len(name), name))}
    return out

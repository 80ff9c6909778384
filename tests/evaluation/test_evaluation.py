"""The figures of `tidelore eval`, and that recall keeps what it has reached."""

from __future__ import annotations

import asyncio
import json
import math
import os
from pathlib import Path
from typing import Any

import pytest

from tests.sidecar.cli_kit import answered, tidelore
from tidelore.engine.errors import BadInput
from tidelore.evaluation.dataset import iso, load
from tidelore.evaluation.figures import Outcome, interval, ndcg, percentile, recall, reciprocal_rank, table
from tidelore.evaluation.run import evaluate
from tidelore.host.local_embedder import LocalEmbedder

SAMPLE = Path(__file__).parent / "sample"
LOCOMO, MADIAL = "TIDELORE_LOCOMO", "TIDELORE_MADIAL"


def test_figures_of_one_ranking() -> None:
    ranked, evidence = ["a", "b", "c", "d"], {"b", "d"}
    assert [recall(ranked, evidence, k) for k in (1, 2, 4)] == [0, 0.5, 1]
    assert reciprocal_rank(ranked, evidence) == 0.5
    assert reciprocal_rank(ranked, {"z"}) == 0
    assert ndcg(ranked, evidence, 4) == pytest.approx((1 / math.log2(3) + 1 / math.log2(5)) / (1 + 1 / math.log2(3)))
    assert ndcg(["b", "d"], evidence, 4) == 1
    assert [percentile([3, 1, 2, 4], share) for share in (0.5, 0.95, 0.0)] == [2, 4, 1]
    low, high = interval([0.0, 1.0] * 50)
    assert 0.38 < low < 0.5 < high < 0.62


def test_a_table_leaves_the_adversarial_questions_out_of_the_second_row() -> None:
    rows = [Outcome("c", category, {"a"}, ranked, 1.0) for category, ranked in (("1", ["a"]), ("1", ["b"]), ("5", ["b"]))]
    found: Any = table(rows)
    assert found["all"]["recall@10"] == pytest.approx(1 / 3, abs=1e-4)
    assert found["1-4"]["recall@10"] == 0.5
    assert {name: row["n"] for name, row in found["by_category"].items()} == {"1": 2, "5": 1}
    assert table([]) == {"by_category": {}}


def test_dates_of_sessions_are_read() -> None:
    assert iso("1:56 pm on 8 May, 2023") == "2023-05-08T13:56"
    assert iso("12:05 am on 30 December, 2023") == "2023-12-30T00:05"
    assert (iso("2023-12-25"), iso("2024-03-05 09:00"), iso("spring")) == ("2023-12-25", "2024-03-05T09:00", "spring")


@pytest.mark.parametrize("text", ["{", "[]", '{"sessions": [{"turns": [{"id": 1}]}], "questions": []}', '{"id": "x"}'])
def test_a_file_that_is_no_conversation_is_named(tmp_path: Path, text: str) -> None:
    with pytest.raises(BadInput, match="no conversations"):
        load(tmp_path)
    (tmp_path / "odd.json").write_text(text, "utf-8")
    with pytest.raises(BadInput, match=r"odd\.json"):
        load(tmp_path)


def test_the_sample_is_measured_in_words_alone(tmp_path: Path) -> None:
    found = answered(tmp_path, "eval", str(SAMPLE), "--embedder", "none")
    assert found["all"]["n"] == 19
    assert set(found["by_category"]) == {"1", "2", "4"}
    assert {"recall@5", "recall@10", "recall@20", "ndcg@10", "mrr", "search_p50_ms", "search_p95_ms", "tokens@10"} < set(found["all"])
    assert found["1-4"]["recall@10"] >= 0.73
    assert found["all"]["evidence@500tokens"] <= found["all"]["evidence@1000tokens"] <= found["all"]["evidence@2000tokens"]
    plain = [row["1-4"]["recall@10"] for row in found["baselines"].values()]
    assert len(plain) == 3
    assert found["1-4"]["recall@10"] > max(plain)
    assert list(tmp_path.iterdir()) == [], "nothing of the data folder is touched"


@pytest.mark.slow
def test_the_default_embedder_finds_what_shares_no_word() -> None:
    async def run(conversations: Any) -> tuple[Any, Any]:
        embedder = LocalEmbedder()
        await embedder.loaded()
        try:
            return (await evaluate(conversations, None)).document(), (await evaluate(conversations, embedder)).document()
        finally:
            await embedder.aclose()

    words, meaning = asyncio.run(run(load(SAMPLE)))
    assert meaning["1-4"]["recall@10"] >= max(0.84, words["1-4"]["recall@10"] + 0.1)
    assert set(meaning["baselines"]) - set(words["baselines"]) == {"cosine alone"}


def test_the_table_for_people_is_in_both_languages(tmp_path: Path) -> None:
    for language, word in (("en", "Plain systems"), ("zh", "简单的方法")):
        done = tidelore(tmp_path, "eval", str(SAMPLE), "--embedder", "none", "--lang", language)
        assert done.returncode == 0, done.stderr
        assert word in done.stdout
        assert "recall@10" in done.stdout


def test_an_embedder_that_is_not_set_up_is_an_error_with_advice(tmp_path: Path) -> None:
    found = answered(tmp_path, "eval", str(SAMPLE), "--embedder", "some-model", code=1)
    assert found["error"]["code"] == "bad_input"
    assert "some-model" in found["error"]["message"]


# What was reached when these were set, less a point: the questions are few, and a fault costs more.
FLOORS = [
    (LOCOMO, "none", "1-4", 0.80),
    (LOCOMO, "default", "1-4", 0.84),
    (MADIAL, "none", "all", 0.63),
    (MADIAL, "default", "all", 0.75),
]
# What the recipe of the evidence-retrieval benchmark reaches in each category (docs/recall.md): none may be worse.
RECIPE = {
    "none": {"1": 0.461, "2": 0.839, "3": 0.487, "4": 0.889},
    "default": {"1": 0.569, "2": 0.893, "3": 0.552, "4": 0.927},
}


@pytest.mark.slow
@pytest.mark.parametrize(("variable", "embedder", "group", "floor"), FLOORS)
def test_recall_keeps_its_floor(tmp_path: Path, variable: str, embedder: str, group: str, floor: float) -> None:
    folder = os.environ.get(variable)
    if not folder:
        pytest.skip(f"{variable} does not name the folder of these conversations; their licence keeps them out of here")
    found = answered(tmp_path, "eval", folder, "--embedder", embedder)
    assert found[group]["recall@10"] >= floor, json.dumps(found["by_category"])
    assert all(found[group]["recall@10"] > row[group]["recall@10"] for row in found["baselines"].values()), "no plain system does better"
    if variable == LOCOMO:
        assert all(found["by_category"][name]["recall@10"] >= least for name, least in RECIPE[embedder].items())

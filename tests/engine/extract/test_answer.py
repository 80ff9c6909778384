"""Reading what models and servers send."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidelore.engine.extract.answer import MOST_CHARACTERS, MOST_ITEMS, parse_answer

A, B, C = ({"op": "node", "text": word} for word in ("ash", "birch", "cedar"))
LIST = json.dumps({"operations": [A, B]})


def items(raw: str) -> list[Any]:
    return [dict(item) for item in parse_answer(raw).items]


@pytest.mark.req("P29", "B43")
def test_reasoning_goes_whole_items_stay_and_the_cut_one_is_counted() -> None:
    raw = '<think>Maybe {"op": "node", "te</think>\n[' + json.dumps(A) + ", " + json.dumps(B) + ', {"op": "node", "text": "ced'
    answer = parse_answer(raw)
    assert (list(answer.items), answer.dropped, answer.kind) == ([A, B], 1, "items")
    assert any(problem.startswith("cut:") for problem in answer.problems)


@pytest.mark.req("P29")
def test_a_list_with_a_trailing_comma_and_no_end_loses_nothing() -> None:
    answer = parse_answer("<think>[{</think>[" + json.dumps(A) + "," + json.dumps(B) + ",")
    assert (list(answer.items), answer.dropped) == ([A, B], 0)


@pytest.mark.req("P29")
@pytest.mark.parametrize(
    ("raw", "kept"),
    [
        ('{"op": "node", "text": "half a sent\n```\nHope this helps! {"a":1}', []),
        ('[{"op": "node", "text": "no end},{"op": "node", "text": "birch"}]', [B]),
        ('[{"op": "node", "text": "no end "importance": 5}, {"op": "node", "text": "birch"}]', [B]),
    ],
)
def test_a_text_that_has_lost_its_end_is_given_none(raw: str, kept: list[Any]) -> None:
    answer = parse_answer(raw)
    assert (list(answer.items), answer.dropped) == (kept, 1)


@pytest.mark.req("P29")
def test_prose_after_a_list_without_an_end_does_not_harm_it() -> None:
    raw = "[" + json.dumps(A) + ", " + json.dumps(B) + "\n\nI hope that's fine, don't hesitate {to ask}!"
    assert items(raw) == [A, B]


@pytest.mark.req("P31", "B43")
@pytest.mark.parametrize(
    "raw",
    [
        f"<think>[a</think> hm <think>x</think>\n```json\n{LIST}\n```\nnoise {{x}}",
        f'<thinking depth="2">so <think>{{"operations": []}}</think> [a</thinking>{LIST}',
        f"<REASONING>\n{{\n</REASONING>{LIST}",
        f'my draft {{"op": "node", "text": "draft"}} is poor</think>{LIST}',
        f"[THINK]{{a[/THINK]{LIST}",
        f"<|channel|>analysis<|message|>{{}} maybe<|end|><|start|>assistant<|channel|>final<|message|>{LIST}",
        f'Use {{braces}} and [brackets], such as {{"op": ...}} [1]. Here:\n{LIST}\nDone.',
        f'For example {{"op": "node", "text": "x"}} would do.\n{LIST}',
        f"<think>I never close this {LIST}",
        f"```\nno json\n```\n```json\n{LIST}\n```",
    ],
)
def test_the_payload_is_found_not_the_first_bracket(raw: str) -> None:
    assert items(raw) == [A, B]


def test_a_tag_of_reasoning_inside_a_text_is_only_text() -> None:
    raw = '{"operations": [{"op": "node", "text": "<think> on the wall"}, {"op": "node", "text": "</think>"},]}'
    assert [item["text"] for item in items(raw)] == ["<think> on the wall", "</think>"]


@pytest.mark.req("B43")
def test_two_objects_in_a_row_and_json_lines_are_all_read() -> None:
    assert items(json.dumps({"operations": [A]}) + "\n" + json.dumps({"operations": [B]})) == [A, B]
    assert items("\n".join(map(json.dumps, (A, B, C)))) == [A, B, C]
    assert items(f"{json.dumps(A)}, {json.dumps(B)}") == [A, B]


def test_a_corrected_answer_replaces_the_one_before() -> None:
    assert items(json.dumps({"operations": [A]}) + "\nWait, corrected:\n" + json.dumps({"operations": [B]})) == [B]


@pytest.mark.parametrize(
    "raw",
    [
        json.dumps([A]),
        json.dumps(A),
        json.dumps({"Operations": [A]}),
        json.dumps({"ops": [A]}),
        json.dumps({"memories": A}),
        json.dumps({"操作": [A]}),
        json.dumps({"thought": "hm", "result": {"data": {"operations": [A]}}}),
        json.dumps({"status": "ok", "items": [A]}),
        json.dumps([{"operations": [A]}]),
        json.dumps([[A]]),
        json.dumps({"operations": json.dumps([A])}),
        json.dumps(json.dumps({"operations": [A]})),
        json.dumps({"name": "save", "arguments": {"operations": [A]}}),
        json.dumps({"type": "object", "properties": {"operations": [A]}}),
        "\ufeff  " + json.dumps({"operations": [A]}),
    ],
)
def test_the_container_may_have_any_usual_name_and_depth(raw: str) -> None:
    assert items(raw) == [A]


def test_other_askers_name_their_own_list() -> None:
    answer = parse_answer('{"kept": [{"id": 3}], "operations": []}', list_keys=["kept"])
    assert list(answer.items) == [{"id": 3}]
    assert [dict(item) for item in parse_answer('Here: {"synopsis": "They met."}', list_keys=["digests"]).items] == [
        {"synopsis": "They met."}
    ]


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ('{"operations": [{"op": "node", "text": "a",},],}', {"op": "node", "text": "a"}),
        ('{"op": "node", /* why */ "text": "a" // end\n}', {"op": "node", "text": "a"}),
        ("{'op': 'node', 'text': 'it's fine'}", {"op": "node", "text": "it's fine"}),
        ("{“op”：“node”，“text”：“他说“好”了”}", {"op": "node", "text": "他说“好”了"}),
        ('{op: "node", text: "a"}', {"op": "node", "text": "a"}),
        ('{"op": "node", "text": "she said "go now" and left"}', {"op": "node", "text": 'she said "go now" and left'}),
        ('{"op": "node", "text": None, "x": True}', {"op": "node", "text": None, "x": True}),
        ('{"op": "node"\n"text": "a"}', {"op": "node", "text": "a"}),
        ('{"op": "node", "text": "line\nbreak"}', {"op": "node", "text": "line\nbreak"}),
    ],
)
def test_careless_json_is_read(raw: str, expected: dict[str, Any]) -> None:
    assert items(raw) == [expected]


@pytest.mark.req("P41")
@pytest.mark.parametrize("style", ["openai", "anthropic", "ollama"])
def test_an_event_stream_is_read_where_one_body_was_wanted(style: str) -> None:
    parts = [LIST[at : at + 7] for at in range(0, len(LIST), 7)]
    if style == "openai":
        first = {"choices": [{"delta": {"role": "assistant", "reasoning_content": "[hm"}}]}
        events = [first, *({"choices": [{"index": 0, "delta": {"content": part}}]} for part in parts)]
        raw = "".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n"
    elif style == "anthropic":
        events = [{"type": "content_block_delta", "delta": {"type": "text_delta", "text": part}} for part in parts]
        events.insert(0, {"type": "content_block_delta", "delta": {"type": "thinking_delta", "thinking": "{"}})
        raw = "".join(f"event: x\ndata: {json.dumps(event)}\n\n" for event in [{"type": "message_start"}, *events])
    else:
        raw = "\n".join(json.dumps({"model": "m", "message": {"content": part}, "done": False}) for part in parts)
    assert items(raw) == [A, B]


@pytest.mark.parametrize(
    "body",
    [
        {"id": "x", "choices": [{"message": {"role": "assistant", "content": f"```json\n{LIST}\n```"}}]},
        {"type": "message", "role": "assistant", "content": [{"type": "thinking", "thinking": "{"}, {"type": "text", "text": LIST}]},
        {"type": "message", "role": "assistant", "content": [{"type": "tool_use", "input": json.loads(LIST)}]},
        {"candidates": [{"content": {"parts": [{"text": "{", "thought": True}, {"text": LIST}]}}]},
        {"choices": [{"message": {"content": None, "tool_calls": [{"function": {"name": "f", "arguments": LIST}}]}}]},
        {"object": "response", "output": [{"type": "message", "content": [{"type": "output_text", "text": LIST}]}]},
    ],
)
def test_a_whole_body_is_unwrapped(body: dict[str, Any]) -> None:
    assert items(json.dumps(body)) == [A, B]


@pytest.mark.req("P33")
@pytest.mark.parametrize("wrap", [lambda schema: schema, lambda schema: {"name": "answer", "schema": schema}])
def test_the_schema_given_back_is_recognised(wrap: Any) -> None:
    echoed = {"title": "Answer", "type": "object", "properties": {"operations": {"type": "array", "items": {"type": "object"}}}}
    answer = parse_answer(json.dumps(wrap(echoed)))
    assert (answer.kind, answer.items) == ("schema", ())


@pytest.mark.req("P43")
@pytest.mark.parametrize(
    "raw",
    [
        "I'm sorry, but I can't help with that request.",
        "I cannot assist with this content.",
        "As an AI language model I must not read this.",
        "抱歉，我无法协助处理该内容。",
        "作为一个人工智能，我不能继续。",
        "I’m unable to process this. {}",
        '{"error": "I cannot help with that."}',
        json.dumps({"choices": [{"message": {"content": None, "refusal": "no"}, "finish_reason": "stop"}]}),
        json.dumps({"choices": [{"message": {"content": ""}, "finish_reason": "content_filter"}]}),
    ],
)
def test_a_refusal_is_no_memory_and_no_empty_list(raw: str) -> None:
    answer = parse_answer(raw)
    assert (answer.kind, answer.items) == ("refusal", ())


def test_memories_of_a_refusal_are_memories() -> None:
    assert items('I am sorry for the wait. {"operations": [{"op": "node", "text": "I cannot help you, said Ann"}]}') != []


@pytest.mark.parametrize(
    "raw",
    [
        '{"operations": []}',
        "[]",
        "{}",
        "null",
        "无",
        "There is nothing worth remembering.",
        '{"thought": "quiet", "operations": []}',
        "I can't find anything new. []",
    ],
)
def test_nothing_to_remember_is_an_answer(raw: str) -> None:
    answer = parse_answer(raw)
    assert (answer.kind, answer.dropped) == ("empty", 0)


@pytest.mark.parametrize("raw", ["", "   ", "The weather is fine today.", '{"operations": [{"op": "no', '{"error": {"message": "busy"}}'])
def test_what_cannot_be_used_asks_to_be_repeated(raw: str) -> None:
    assert parse_answer(raw).kind == "nothing"


@pytest.mark.req("P39")
@pytest.mark.parametrize(
    "raw",
    [
        '{"title": "[[x]]{{", "keywords": ["[[a", "]]b", "{{"]}',
        json.dumps({"operations": [{"op": "node", "text": "the " * 40}]}),
        json.dumps({"operations": [{"op": "node", "text": "]]}}{{[[]]}}|<<>>|[[{{"}]}),
    ],
)
def test_gibberish_that_parses_is_dropped_as_low_quality(raw: str) -> None:
    answer = parse_answer(raw)
    assert (answer.items, answer.dropped, answer.kind) == ((), 1, "nothing")
    assert any(problem.startswith("low quality") for problem in answer.problems)


@pytest.mark.req("P39")
def test_doubled_brackets_are_read_through_and_reported() -> None:
    answer = parse_answer('{"operations": [{{"op": "node", "text": "ash"}}, [' + json.dumps(B) + "]]}")
    assert list(answer.items) == [A, B]
    assert "low quality: doubled brackets" in answer.problems


def test_macros_screams_and_brackets_of_a_story_are_not_gibberish() -> None:
    texts = ["{{user}} met {{char}}", "She cried Aaaaaaaaaaaaaaaah!!!", "He wrote [[home]] on the map", "(╯°□°)╯︵ she threw it"]
    assert len(items(json.dumps({"operations": [{"op": "node", "text": text} for text in texts]}))) == len(texts)


@pytest.mark.req("P35")
def test_nulls_and_scraps_in_a_list_cost_only_themselves() -> None:
    answer = parse_answer(json.dumps({"operations": [A, None, "scrap", {"op": "node", "text": None}, B]}))
    assert (list(answer.items), answer.dropped) == ([A, {"op": "node", "text": None}, B], 2)


def test_what_no_store_can_take_is_replaced() -> None:
    assert items('{"op": "node", "text": "a river \\ud800 and a sea \\u0000"}') == [
        {"op": "node", "text": "a river \ufffd and a sea \ufffd"}
    ]


STORED = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
SCALARS = st.none() | st.booleans() | st.integers(-(2**63) + 1, 2**63 - 1) | st.text(STORED, max_size=12)
ITEMS = st.fixed_dictionaries(
    {"op": st.just("node"), "text": st.text("ab \"'\\{}[],:“”\n/#`<>é漢", max_size=20)},
    optional={
        "fields": st.dictionaries(st.sampled_from(["traits", "text", "op", "x"]), SCALARS | st.lists(SCALARS, max_size=3), max_size=3),
        "evidence": st.lists(st.fixed_dictionaries({"message": st.integers(0, 9), "quote": st.text(STORED, max_size=8)}), max_size=2),
        "links": st.lists(st.fixed_dictionaries({"to": st.text(STORED, max_size=4), "type": st.just("knows")}), max_size=2),
    },
)


@st.composite
def cut_answers(draw: st.DrawFn) -> tuple[str, list[Any]]:
    """An answer cut somewhere, and the items that stand in it whole."""
    wanted = draw(st.lists(ITEMS, max_size=4))
    indent = draw(st.sampled_from([None, 2]))
    ascii_only = draw(st.booleans())
    texts = [json.dumps(item, indent=indent, ensure_ascii=ascii_only) for item in wanted]
    head, between, tail = draw(
        st.sampled_from([('{"operations": [', ", ", "]}"), ("[", ",\n", "]"), ("", "\n", "\n"), ("```json\n[", ",", "]\n```")])
    )
    whole = head + between.join(texts) + tail
    cut = draw(st.integers(0, len(whole)))
    ends, at = [], len(head)
    for text in texts:
        ends.append(at + len(text))
        at += len(text) + len(between)
    return whole[:cut], [item for item, end in zip(wanted, ends, strict=True) if end <= cut]


@pytest.mark.req("P29", "B43")
@given(cut_answers())
def test_exactly_the_whole_items_survive_a_cut(case: tuple[str, list[Any]]) -> None:
    raw, whole = case
    answer = parse_answer(raw)
    low = sum(problem.startswith("low quality: {") for problem in answer.problems)
    kept = [dict(item) for item in answer.items]
    assert [item for item in whole if item in kept] == kept
    assert len(kept) >= len(whole) - low
    assert answer.dropped <= 1 + low


FRAGMENTS = st.sampled_from(
    [
        *(
            "{",
            "}",
            "[",
            "]",
            '"',
            "'",
            "“",
            "”",
            ":",
            ",",
            "：",
            "，",
            "\\",
            "```json\n",
            "```",
            "<think>",
            "</think>",
            "//",
            "/*",
            "*/",
            "#",
        ),
        *(
            '"operations": [',
            '{"op": "node", "text": "a"}',
            "data: ",
            '{"choices": [{"delta": {"content": "',
            "\n",
            " ",
            "null",
            "a",
            "1",
            "\ud800",
        ),
        *('"type": "object"', '"properties": {', "[DONE]", "NaN", "1e999", "<", ">", "[THINK]", "\x00", '\\"', "[[", "{{", "event: x\n"),
    ]
)


@given(st.lists(FRAGMENTS, max_size=40).map("".join) | st.text())
def test_no_answer_raises(raw: str) -> None:
    answer = parse_answer(raw)
    assert (answer.kind == "items") == bool(answer.items)


@pytest.mark.parametrize(
    "raw",
    [
        *("[" * 100_000, "{" * 100_000, "[{" * 100_000, '{"a":' * 50_000, '"' * 200_000, "<think>" * 30_000, '{"op" ' * 30_000),
        *('\n{"operations":' * 15_000, '{"operations":[{"op":"' + 'a"b, "' * 40_000, "[{'" + "', " * 60_000, '{"a":"' + "\\" * 200_000),
        *('{"operations":[' + '{"op":"a" "b"},' * 14_000, "```json\n{'a" * 15_000, '</think>{"' * 20_000, "data: {" * 30_000),
        *("data: " + "[" * 100_000, '{"choices":' * 20_000, "\n" * 200_000, '"a"\n' * 50_000, '{"a":"b"' + "\n" * 150_000 + "x"),
    ],
    ids=range(20),
)
def test_hostile_answers_are_read_to_their_end(raw: str) -> None:
    assert parse_answer(raw).kind in ("nothing", "items", "excess")


@pytest.mark.parametrize("wrap", ['{{"operations": [{}]}}', "[{}]", "[[{}]]", "{}", '{{"items": [{}]}}'])
def test_an_answer_of_more_items_than_any_window_holds_is_refused_whole(wrap: str) -> None:
    def answered(count: int) -> str:
        return wrap.format(", ".join(json.dumps({"op": "node", "text": f"ash {number}"}) for number in range(count)))

    most, more = parse_answer(answered(MOST_ITEMS)), parse_answer(answered(MOST_ITEMS + 1))
    assert (most.kind, len(most.items)) == ("items", MOST_ITEMS)
    assert (more.kind, more.items) == ("excess", ())
    assert more.problems == (f"excess: {MOST_ITEMS + 1} items are more than any window holds",)


def test_an_answer_longer_than_any_model_writes_is_refused_before_it_is_read() -> None:
    text = json.dumps({"operations": [{"op": "node", "text": "ash " * (MOST_CHARACTERS // 4)}]})
    answer = parse_answer(text)
    assert (answer.kind, answer.items) == ("excess", ())
    assert "characters" in answer.problems[0]


def test_items_keep_their_order_however_deep_their_lists_lie() -> None:
    words = [f"ash {number}" for number in range(300)]
    nested = json.dumps([[{"op": "node", "text": word} for word in words[at : at + 2]] for at in range(0, len(words), 2)])
    assert [item["text"] for item in items(nested)] == words

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidelore.host.importing.dates import iso_date


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("November 29, 2026 9:40pm", "2026-11-29T21:40"),
        ("June 9, 2023 12:05 AM", "2023-06-09T00:05"),
        ("Jun 9, 2023 12:05:07 pm", "2023-06-09T12:05:07"),
        ("June 19, 2023 14:20", "2023-06-19T14:20"),
        ("2024-7-12@20h31m10s", "2024-07-12T20:31:10"),
        ("2024-07-12@01h31m37s123ms", "2024-07-12T01:31:37"),
        ("2023-6-5 @14h 56m 50s 682ms", "2023-06-05T14:56:50"),
        ("2024-7-12@20h31m", "2024-07-12T20:31"),
        ("2024-07-12T20:31:10.123Z", "2024-07-12T20:31:10Z"),
        ("2024-07-12T20:31:10+08:00", "2024-07-12T20:31:10+08:00"),
        ("2024-07-12T20:31", "2024-07-12T20:31"),
        ("2024-07-12 20:31:10", "2024-07-12T20:31:10"),
        ("2024-07-12", "2024-07-12"),
        ("2024/7/2 20:31", "2024-07-02T20:31"),
        (1720816270123, "2024-07-12T20:31:10Z"),
        ("1720816270123", "2024-07-12T20:31:10Z"),
        (1720816270.5, "2024-07-12T20:31:10Z"),
    ],
)
def test_dates_of_all_forms_become_iso_8601(value: object, expected: str) -> None:
    assert iso_date(value) == expected


@pytest.mark.parametrize(
    "value",
    [None, True, "", "yesterday", "29 ноября", "2024-13-12", "2024-02-30@20h31m10s", "Smarch 1, 2024 9:40pm",
     "June 9, 2023 25:00", 0, 7, -5, 1e300, float("nan"), float("inf"), "9" * 50, [], {}],
)  # fmt: skip
def test_what_is_no_date_becomes_nothing(value: object) -> None:
    assert iso_date(value) == ""


@given(st.text(max_size=40) | st.floats() | st.integers() | st.from_regex(r"\d{4}-\d\d-\d\d[T ]\d\d:.*"))
def test_any_value_is_taken_without_an_error(value: object) -> None:
    iso_date(value)

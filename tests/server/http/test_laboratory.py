"""The laboratory's page: the studies that come with the games, their reports and figures."""

import csv
import io
from collections.abc import Callable
from typing import Any

import tercet
from tercet.laboratory.study import published_studies


def test_the_studies_of_each_game_are_listed(serve: Callable[..., Any]) -> None:
    found = serve().http.get("/api/lab").json()
    assert [one["game"] for one in found] == list(tercet.games())
    listed = [(f"{one['game']}/{study['id']}", study["title"]) for one in found for study in one["studies"]]
    assert listed == [(study.name, study.question) for study in published_studies()]
    assert all(study["result"] and study["note"] and study["games"] for one in found for study in one["studies"])


def test_a_report_is_a_page_of_its_own_without_rights(serve: Callable[..., Any]) -> None:
    study = published_studies()[0]
    answer = serve().http.get(f"/api/lab/{study.name}/report")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert answer.headers["content-encoding"] == "gzip"
    assert answer.content == study.html()
    policy = answer.headers.get_list("content-security-policy")
    assert len(policy) == 1
    assert "sandbox allow-scripts" in policy[0]
    assert "allow-same-origin" not in policy[0]
    plain = serve().http.get(f"/api/lab/{study.name}/report", headers={"accept-encoding": "identity"})
    assert plain.content == study.html()
    assert "content-encoding" not in plain.headers


def test_figures_are_a_table(serve: Callable[..., Any]) -> None:
    study = published_studies()[0]
    answer = serve().http.get(f"/api/lab/{study.name}/figures")
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert answer.content == study.figures.read_bytes()
    assert {line["arm"] for line in csv.DictReader(io.StringIO(answer.text))} >= {arm for arm, _ in study.found}


def test_there_is_no_such_study(serve: Callable[..., Any]) -> None:
    http = serve().http
    for address in ("/api/lab/sanqi/nothing/report", "/api/lab/halma/first-share/figures"):
        answer = http.get(address)
        assert answer.status_code == 404
        assert answer.json()["error"]["why"] == "This study does not exist. GET /api/lab lists the studies."

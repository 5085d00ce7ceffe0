"""Where settings come from, which source counts, and how mistakes are told."""

from __future__ import annotations

import tomllib
from contextlib import closing
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from hansa_server.errors import BadField
from hansa_server.settings import PREFIX, Settings, load_settings, split_address, to_toml
from hansa_server.store import Store

NAMES = [part.name for part in fields(Settings)]
PATHS = ("tls_certificate", "tls_key", "tls_client_ca")  # they only go together


def other(name: str, step: int) -> Any:
    """A value of a setting that is not its default; each step gives another one, where there are so many."""
    part = next(part for part in fields(Settings) if part.name == name)
    value, choices = part.default, part.metadata["choices"]
    if isinstance(value, bool):
        return value if step % 2 else not value
    if isinstance(value, (int, float)):
        return value + step
    if choices:
        return choices[(choices.index(value) + step) % len(choices)]
    return f"host:{step}" if name.endswith("address") else f"{name} {step}"


def text(value: Any) -> str:
    """A value as an environment variable has it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def together(name: str, value: Any) -> dict[str, Any]:
    """A setting with those it needs."""
    needed = dict.fromkeys(PATHS, "x.pem") if name in PATHS else {}
    return {**needed, name: value}


@pytest.mark.parametrize("name", NAMES)
def test_options_before_file_before_environment_before_default(tmp_path: Path, name: str) -> None:
    file = tmp_path / "arena.toml"
    option, written, variable = (together(name, other(name, step)) for step in (1, 2, 3))
    file.write_text(to_toml(Settings(**written)).replace("\r", ""), encoding="utf-8")
    only = tmp_path / "only.toml"
    chosen = [line for line in file.read_text(encoding="utf-8").splitlines() if line.split(" ")[0] in written]
    only.write_text("\n".join(chosen), encoding="utf-8")
    environment = {PREFIX + key.upper(): text(value) for key, value in variable.items()}
    default = getattr(Settings(), name)
    assert getattr(load_settings({}, {}), name) == default
    assert getattr(load_settings({}, environment), name) == variable[name]
    assert getattr(load_settings({}, environment, only), name) == written[name]
    assert getattr(load_settings(option, environment, only), name) == option[name]
    assert getattr(load_settings({name: None}, environment, only), name) == written[name]
    assert type(getattr(load_settings({}, environment), name)) is type(default)


@pytest.mark.parametrize(
    "store", ["plain.db", 'quote" and \\ back', "tab\t line\n", "umlaut ö \x7f \N{SNOWMAN}", "#no"]
)
def test_a_written_file_reads_back(tmp_path: Path, store: str) -> None:
    changed = {name: other(name, 1) for name in NAMES}
    settings = Settings(**{**changed, "store": store})
    file = tmp_path / "arena.toml"
    file.write_text(to_toml(settings), encoding="utf-8", newline="")
    assert load_settings({}, {}, file) == settings
    assert list(tomllib.loads(to_toml(settings))) == NAMES
    assert to_toml(settings).count("\n# ") == len(NAMES) - 1


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({"on_forfeit": "give up"}, "on_forfeit: must be one of end, replace, not 'give up'"),
        ({"durability": "some"}, "durability: must be one of normal, full, not 'some'"),
        ({"log_level": "loud"}, "log_level: must be one of debug, info, warning, error"),
        ({"bank": -1.0}, "bank: must be a number that is not negative"),
        ({"bank": float("nan")}, "bank: must be"),
        ({"bank": float("inf")}, "bank: must be"),
        ({"max_streams": -1}, "max_streams: must be"),
        ({"address": "7717"}, "address: must be host:port, such as 127.0.0.1:7717, not '7717'"),
        ({"address": "localhost:http"}, "address: must be host:port"),
        ({"address": "localhost:65536"}, "address: must be host:port"),
        ({"metrics_address": ":9"}, "metrics_address: must be host:port"),
        ({"tls_certificate": "c.pem"}, "tls_key: is missing"),
        ({"tls_key": "k.pem"}, "tls_certificate: is missing"),
        ({"tls_client_ca": "ca.pem"}, "tls_certificate: is missing"),
    ],
)
def test_settings_that_cannot_be(values: dict[str, Any], problem: str) -> None:
    with pytest.raises(BadField) as caught:
        Settings(**values)
    assert problem in str(caught.value)


@pytest.mark.parametrize(
    ("written", "problem"),
    [
        ("adress = 1", "arena.toml: adress: is no setting; there are address, store, tokens"),
        ("bank = 'much'", "arena.toml: bank: must be a number, not 'much'"),
        ("bank = true", "arena.toml: bank: must be a number, not True"),
        ("forgiven = 1.5", "arena.toml: forgiven: must be a whole number, not 1.5"),
        ("tokens = 1", "arena.toml: tokens: must be true or false, not 1"),
        ("store = 5", "arena.toml: store: must be a text, not 5"),
        ("store = ", "arena.toml: is no TOML file: "),
    ],
)
def test_mistakes_in_the_file_name_it(tmp_path: Path, written: str, problem: str) -> None:
    (tmp_path / "arena.toml").write_text(written, encoding="utf-8")
    with pytest.raises(BadField) as caught:
        load_settings({}, {}, tmp_path / "arena.toml")
    assert problem in str(caught.value)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(BadField, match="cannot be read: No such file"):
        load_settings({}, {}, tmp_path / "missing.toml")
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(BadField, match="is no TOML file"):
        load_settings({}, {}, tmp_path / "bytes.toml")


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        ("TOKENS", "maybe", "HANSA_TOKENS: must be true or false, not 'maybe'"),
        ("FORGIVEN", "1.5", "HANSA_FORGIVEN: must be a whole number, not '1.5'"),
        ("BANK", "", "HANSA_BANK: must be a number, not ''"),
    ],
)
def test_mistakes_in_the_environment_name_it(name: str, value: str, problem: str) -> None:
    with pytest.raises(BadField) as caught:
        load_settings({}, {PREFIX + name: value})
    assert problem in str(caught.value)


@pytest.mark.parametrize("word", ["1", "true", "Yes", "ON", "0", "false", "No", "OFF"])
def test_truth_in_the_environment(word: str) -> None:
    assert load_settings({}, {"HANSA_TOKENS": word}).tokens is (word.lower() in ("1", "true", "yes", "on"))


def test_other_variables_mean_nothing() -> None:
    others = {"HANSA_TOKEN": "hansa_secret", "HANSA_SERVER": "here:1", "HANSA_DEBUG": "1", "ADDRESS": "x", "PATH": "y"}
    assert load_settings({}, others) == Settings()


def test_split_address() -> None:
    assert split_address("[::1]:7717") == ("[::1]", 7717)
    assert split_address("localhost:0") == ("localhost", 0)


@pytest.mark.parametrize(("durability", "level"), [("normal", 1), ("full", 2)])
def test_a_store_waits_for_the_disk_if_asked_to(tmp_path: Path, durability: str, level: int) -> None:
    with closing(Store(str(tmp_path / "arena.db"), durability)) as store, store.engine.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar_one() == level
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar_one() == "wal"

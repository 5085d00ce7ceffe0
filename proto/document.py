"""Writes docs/protocol.md, the reference of the wire contract, from the comments in the .proto files.

Run it after every change of a .proto file. Needs grpcio-tools (the extra `proto` of the top-level project).
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

from google.protobuf.descriptor_pb2 import FieldDescriptorProto, FileDescriptorProto, FileDescriptorSet
from grpc_tools import protoc

PROTO = Path(__file__).resolve().parent
TARGET = PROTO.parent / "docs" / "protocol.md"

# Numbers of the fields in descriptor.proto by which the places of comments are named.
SYNTAX, MESSAGES, ENUMS, SERVICES = 12, 4, 5, 6
FIELDS, NESTED, NESTED_ENUMS, ONEOFS = 2, 3, 4, 8
METHODS = VALUES = 2

HEAD = """\
# The wire contract `hansa.v1`

Written by `proto/document.py` from the comments in `proto/hansa/v1/`; change them there. Servers answer reflection, so
tools such as `grpcurl` know all of this too. A status other than OK carries `google.rpc` details: always an `ErrorInfo`
with a stable `reason`, and a `BadRequest`, `PreconditionFailure`, `QuotaFailure`, `ResourceInfo` or `RetryInfo` that
names the field or thing and says what would be right.
"""

ORDER = ("play", "match", "watch", "tournament", "engine", "server", "game", "clock", "view")


def read_contract() -> list[FileDescriptorProto]:
    """The files of the contract with their comments, in the order of the reference."""
    sources = sorted(str(path.relative_to(PROTO)) for path in PROTO.glob("hansa/v1/*.proto"))
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "contract.binpb"
        include = files("grpc_tools").joinpath("_proto")
        words = [f"-I{PROTO}", f"-I{include}", "--include_source_info", f"--descriptor_set_out={target}"]
        if protoc.main(["protoc", *words, *sources]) != 0:
            raise SystemExit("protoc failed")
        found = FileDescriptorSet.FromString(target.read_bytes()).file
    rank = {f"hansa/v1/{name}.proto": number for number, name in enumerate(ORDER)}
    return sorted(found, key=lambda file: (rank.get(file.name, len(rank)), file.name))


def comments(file: FileDescriptorProto) -> dict[tuple[int, ...], str]:
    """The comments of a file by the place of what they are about."""
    found = {}
    for location in file.source_code_info.location:
        text = location.leading_comments or location.trailing_comments
        if text.strip():
            found[tuple(location.path)] = "\n".join(
                line.removeprefix(" ").rstrip() for line in text.strip().split("\n")
            )
    return found


def places(file: FileDescriptorProto) -> Iterator[tuple[tuple[int, ...], str]]:
    """Everything in a file that must have a comment: its place and its name."""
    yield (SYNTAX,), file.name
    for number, service in enumerate(file.service):
        yield (SERVICES, number), service.name
        for index, method in enumerate(service.method):
            yield (SERVICES, number, METHODS, index), f"{service.name}.{method.name}"
    for number, message in enumerate(file.message_type):
        yield from _message_places(message, (MESSAGES, number), "")
    for number, enum in enumerate(file.enum_type):
        yield from _enum_places(enum, (ENUMS, number), "")


def _message_places(message: Any, place: tuple[int, ...], prefix: str) -> Iterator[tuple[tuple[int, ...], str]]:
    name = f"{prefix}{message.name}"
    yield place, name
    for index, field in enumerate(message.field):
        yield (*place, FIELDS, index), f"{name}.{field.name}"
    for index in _real_oneofs(message):
        yield (*place, ONEOFS, index), f"{name}.{message.oneof_decl[index].name}"
    for index, inner in enumerate(message.nested_type):
        if not inner.options.map_entry:  # nobody wrote it
            yield from _message_places(inner, (*place, NESTED, index), f"{name}.")
    for index, enum in enumerate(message.enum_type):
        yield from _enum_places(enum, (*place, NESTED_ENUMS, index), f"{name}.")


def _enum_places(enum: Any, place: tuple[int, ...], prefix: str) -> Iterator[tuple[tuple[int, ...], str]]:
    yield place, f"{prefix}{enum.name}"
    for index, value in enumerate(enum.value):
        yield (*place, VALUES, index), f"{prefix}{enum.name}.{value.name}"


def _real_oneofs(message: Any) -> list[int]:
    """Choices between fields; `optional` makes one of its own behind the scenes."""
    return sorted({f.oneof_index for f in message.field if f.HasField("oneof_index") and not f.proto3_optional})


def without_comment(contract: list[FileDescriptorProto]) -> list[str]:
    """The names of all that has no comment."""
    missing = []
    for file in contract:
        known = comments(file)
        missing += [f"{file.name}: {name}" for place, name in places(file) if place not in known]
    return missing


def document(contract: list[FileDescriptorProto]) -> str:
    """The reference as Markdown."""
    parts = [HEAD]
    for file in contract:
        known = comments(file)
        parts.append(f"## {file.name}\n\n{known.get((SYNTAX,), '')}\n")
        for number, service in enumerate(file.service):
            place = (SERVICES, number)
            parts.append(f"### service {service.name}\n\n{known.get(place, '')}\n")
            for index, method in enumerate(service.method):
                takes = f"{'stream ' if method.client_streaming else ''}{_link(method.input_type)}"
                gives = f"{'stream ' if method.server_streaming else ''}{_link(method.output_type)}"
                text = known.get((*place, METHODS, index), "")
                parts.append(f"**{method.name}** ({takes}) returns ({gives})\n\n{text}\n")
        for number, message in enumerate(file.message_type):
            parts.extend(_message(message, (MESSAGES, number), "", known))
        for number, enum in enumerate(file.enum_type):
            parts.append(_enum(enum, (ENUMS, number), "", known))
    return "\n".join(parts)


def _message(message: Any, place: tuple[int, ...], prefix: str, known: dict[tuple[int, ...], str]) -> Iterator[str]:
    name = f"{prefix}{message.name}"
    lines = [f"### {name}\n", known.get(place, ""), ""]
    if message.field:
        lines += ["| number | field | type | meaning |", "|---|---|---|---|"]
    choices = _real_oneofs(message)
    for index, field in enumerate(message.field):
        meaning = known.get((*place, FIELDS, index), "").replace("\n", " ").replace("|", "\\|")
        if field.HasField("oneof_index") and field.oneof_index in choices:
            meaning = f"(one of `{message.oneof_decl[field.oneof_index].name}`) {meaning}"
        lines.append(f"| {field.number} | `{field.name}` | {_type(field)} | {meaning} |")
    if message.field:
        lines.append("")
    yield "\n".join(lines)
    for index, inner in enumerate(message.nested_type):
        yield from _message(inner, (*place, NESTED, index), f"{name}.", known)
    for index, enum in enumerate(message.enum_type):
        yield _enum(enum, (*place, NESTED_ENUMS, index), f"{name}.", known)


def _enum(enum: Any, place: tuple[int, ...], prefix: str, known: dict[tuple[int, ...], str]) -> str:
    lines = [f"### {prefix}{enum.name}\n", known.get(place, ""), "", "| number | value | meaning |", "|---|---|---|"]
    for index, value in enumerate(enum.value):
        meaning = known.get((*place, VALUES, index), "").replace("\n", " ").replace("|", "\\|")
        lines.append(f"| {value.number} | `{value.name}` | {meaning} |")
    return "\n".join([*lines, ""])


def _type(field: Any) -> str:
    if field.type_name:
        kind = _link(field.type_name)
    else:
        kind = FieldDescriptorProto.Type.Name(field.type).removeprefix("TYPE_").lower()
    if field.label == FieldDescriptorProto.LABEL_REPEATED:
        return f"repeated {kind}"
    return f"optional {kind}" if field.proto3_optional else kind


def _link(type_name: str) -> str:
    """A type with a link to its section; those of protobuf itself have none."""
    name = type_name.removeprefix(".hansa.v1.")
    if name.startswith("."):
        return f"`{name[1:]}`"
    return f"[{name}](#{name.lower().replace('.', '')})"


if __name__ == "__main__":
    text = document(read_contract())
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else TARGET
    target.write_text(text, encoding="utf-8", newline="\n")

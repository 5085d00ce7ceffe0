"""The pages for bot authors are alike in all languages, and their programs compile."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.languages.clients import ROOT, Client, all_clients, present_clients

DOCS = ROOT / "docs"
PAGES = {client.language: DOCS / f"bots-{client.language}.md" for client in all_clients()} | {
    "python": DOCS / "bots.md",
    "any": DOCS / "bots-any-language.md",
}
OUTLINE = [
    "Install",
    "Run the example",
    "What your bot is told",
    "Decide",
    "Many matches at once",
    "When things go wrong",
    "Check it",
]


@pytest.mark.parametrize("language", PAGES)
def test_the_outline_is_the_same_everywhere(language: str) -> None:
    text = PAGES[language].read_text(encoding="utf-8")
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    assert re.findall(r"^## (.*)$", prose, re.MULTILINE) == OUTLINE
    assert text.startswith("# Write a bot in ")


@pytest.mark.parametrize("language", PAGES)
def test_the_options_every_bot_has_are_told(language: str) -> None:
    text = PAGES[language].read_text(encoding="utf-8")
    told = ["--server", "HANSA_SERVER"]
    if language != "any":
        told += [
            "HANSA_TOKEN",
            "--max-matches",
            "--name",
            "--tls",
            "--tls-ca",
            "--tls-cert",
            "--tls-key",
            "--token-file",
        ]
    assert [option for option in told if f"`{option}" not in text] == []


def blocks(page: Path, language: str) -> list[str]:
    """The programs on a page in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def run(folder: Path, *command: str, **environment: str) -> None:
    done = subprocess.run(
        command, cwd=folder, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def whole_go(text: str) -> str:
    """A part of a Go program as a whole one."""
    if text.startswith("package"):
        return text
    if not text.startswith("func"):
        text = "func part(ctx context.Context) error {\n" + text + "}\n"
    used = [name for name in ("context", "fmt", "hansa") if f"{name}." in text]
    imports = "".join(f'import "{name}"\n' for name in used)
    type_of_bot = "type firstBot struct{}\n\n"
    method = (
        "func (firstBot) Choose(ctx context.Context, decision *hansa.Decision) (hansa.Choice, error) { panic(0) }\n"
    )
    return f"package main\n\n{imports}\n{type_of_bot}{'' if 'Choose(' in text else method}\nfunc main() {{}}\n\n{text}"


def check_go(client: Client, programs: list[str], folder: Path) -> None:
    """As commands in a module of the reader's own, out of what was fetched to build the kit."""
    for number, text in enumerate(programs):
        place = folder / f"program{number}"
        place.mkdir()
        (place / "main.go").write_text(whole_go(text), encoding="utf-8")
    module = f"module guide\n\ngo 1.26.0\n\nrequire hansa v0.0.0\n\nreplace hansa => {client.folder}\n"
    (folder / "go.mod").write_text(module, encoding="utf-8")
    shutil.copy(client.folder / "go.sum", folder)
    run(folder, "go", "vet", "-mod=mod", "./...", GOPROXY="off")


def check_typescript(client: Client, programs: list[str], folder: Path) -> None:
    """As files beside the example."""
    example = folder / "src" / "example"
    example.mkdir(parents=True)
    (folder / "node_modules").symlink_to(client.folder / "node_modules")
    for path in [*(client.folder / "src").glob("*.ts"), client.folder / "src" / "gen"]:
        (folder / "src" / path.name).symlink_to(path)
    for number, text in enumerate(programs):
        (example / f"program{number}.ts").write_text(text, encoding="utf-8")
    settings = json.loads((client.folder / "tsconfig.json").read_text(encoding="utf-8"))
    del settings["compilerOptions"]["rootDir"]
    settings["include"] = ["src/example"]
    (folder / "tsconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    (folder / "package.json").write_text('{"type": "module"}', encoding="utf-8")
    run(folder, str(client.folder / "node_modules" / ".bin" / "tsc"), "--noEmit")


def whole_cpp(text: str, first: str) -> str:
    """A part of a C++ program as a whole one, behind the bot of the first program."""
    bot = first.partition("int main")[0]
    if "class" in text:
        return text
    if "choose(" in text:
        return f"{bot}class Part : public FirstBot {{\n public:\n{text}}};\n"
    return f"{bot}void part(hansa::Bot& bot) {{\n{text}}}\n"


def check_cpp(client: Client, programs: list[str], folder: Path) -> None:
    """Against the headers of the kit and those that were generated; in one file, since reading these takes long."""
    text = "#include <algorithm>\n"
    for number, program in enumerate(programs):
        lines = whole_cpp(program, programs[0]).splitlines()
        text += "".join(f"{line}\n" for line in lines if line.startswith("#include"))
        rest = "\n".join(line for line in lines if not line.startswith("#include"))
        text += f"namespace program{number} {{\n{rest}\n}}\n"
    (folder / "programs.cc").write_text(text, encoding="utf-8")
    options = ["-std=c++20", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"]
    headers = [f"-I{client.folder / 'include'}", f"-I{client.folder / 'build' / 'generated'}"]
    run(folder, "g++", *options, *headers, "programs.cc")


def whole_java(text: str, first: str, package: str) -> str:
    """A part of a Java program as a whole one, with the bot of the first program beside it."""
    bot = first.partition("    public static void main")[0].replace("public class", "class") + "}\n"
    if "public class" not in text and "@Override" in text:
        idea = "Executor pool; Choice think(Decision decision) { return null; }"
        text = f"class Part extends FirstBot {{ {idea}\n{text}}}\n{bot}"
    elif "public class" not in text:
        text = f"class Part {{ void part() {{\n{text}}} }}\n{bot}"
    imports = "".join(f"import {name}.*;\n" for name in ("hansa.client", "java.util", "java.util.concurrent"))
    return f"package {package};\n{imports}" + re.sub(r"^import .*;\n", "", text, flags=re.MULTILINE)


def check_java(client: Client, programs: list[str], folder: Path) -> None:
    """Against the classes of the kit, each in a package of its own."""
    files = []
    for number, text in enumerate(programs):
        found = re.search(r"public class (\w+)", text)
        files.append(folder / f"program{number}" / f"{found[1] if found else 'Part'}.java")
        files[-1].parent.mkdir()
        files[-1].write_text(whole_java(text, programs[0], f"program{number}"), encoding="utf-8")
    target = client.folder / "target"
    run(folder, "javac", "-d", "classes", "-cp", f"{target}/hansa-client.jar:{target}/lib/*", *map(str, files))


def whole_rust(text: str, first: str) -> str:
    """A part of a Rust program as a whole one, behind the first program."""
    bot = first.replace("use hansa::{", "use hansa::{Client, Options, ")
    if "impl" in text:
        return text
    if text.startswith("fn choose"):
        profile = 'fn profile(&self) -> Profile { Profile::named("part") }'
        return f"{bot}\nstruct Part;\nimpl Bot for Part {{\n{profile}\n{text}}}\n"
    return f"use std::time::Duration;\n{bot}\n{text}"


def check_rust(client: Client, programs: list[str], folder: Path) -> None:
    """Against the kit and its crates as they were compiled for the example."""
    crates = client.folder / "target" / "debug" / "deps"
    kit = [f"-Ldependency={crates}"]
    for crate in ("hansa", "tokio"):
        newest = max(crates.glob(f"lib{crate}-*.rlib"), key=lambda path: path.stat().st_mtime)
        kit.append(f"--extern={crate}={newest}")
    for number, text in enumerate(programs):
        (folder / f"program{number}.rs").write_text(whole_rust(text, programs[0]), encoding="utf-8")
        run(folder, "rustc", "--edition=2024", "--cap-lints=allow", "--emit=metadata", *kit, f"program{number}.rs")


CHECKS = {
    "cpp": ("cpp", check_cpp),
    "go": ("go", check_go),
    "java": ("java", check_java),
    "rust": ("rust", check_rust),
    "typescript": ("ts", check_typescript),
}


CHECKED = [client for client in present_clients() if client.language in CHECKS]


@pytest.mark.parametrize("client", CHECKED, ids=lambda client: client.language)
def test_the_programs_compile(client: Client, tmp_path: Path) -> None:
    """Those of the page and of the client's own README. Python's are run by other tests."""
    client.make()
    name, check = CHECKS[client.language]
    programs = blocks(PAGES[client.language], name) + blocks(client.folder / "README.md", name)
    assert len(programs) >= 3
    check(client, programs, tmp_path)

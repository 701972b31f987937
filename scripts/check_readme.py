"""Does what README.md tells its reader to do, and compares what the reader is told to see.

    check_readme.py README.md --root TREE --bin BUILD/bin

Two kinds of fenced blocks take part, each named in a comment on the line before it:

    <!-- test: file NAME -->   the block is the content of the file NAME
    <!-- test: run -->         lines '$ command' are run in a shell, in the order of the
                               page; the lines after each are its output, in which '...'
                               stands for any text, or alone on a line for any lines

Commands run in an empty folder in which build/bin is BUILD/bin, .venv is this Python's environment and
examples/ is the tree's. Standard library only.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

BLOCK = re.compile(
    r"<!-- test: (file (?P<file>\S+)|run) -->\n```\w*\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)


def to_regex(expected: list[str]) -> str:
    lines = []
    for line in expected:
        if line.strip() == "...":
            lines.append(r"(?:.*\n)*?")
        else:
            lines.append(re.escape(line.rstrip()).replace(re.escape("..."), ".*") + r"[ ]*\n")
    return "".join(lines)


def commands(text: str) -> list[tuple[str, list[str]]]:
    """(command, expected output lines) of a console block."""
    result: list[tuple[str, list[str]]] = []
    for line in text.splitlines():
        if line.startswith("$ "):
            result.append((line[2:], []))
        elif result and result[-1][0].endswith("\\"):
            result[-1] = (result[-1][0] + "\n" + line, [])
        elif result:
            result[-1][1].append(line)
    return result


def run_block(text: str, folder: str) -> str | None:
    """The first thing that went other than the page says, if any."""
    for command, expected in commands(text):
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        output = (
            done.stdout if done.stdout.endswith("\n") or not done.stdout else done.stdout + "\n"
        )
        if done.returncode:
            return f"$ {command}\nfailed with exit status {done.returncode}:\n{output}"
        if not re.fullmatch(to_regex(expected), output):
            wanted = "\n".join(expected)
            return f"$ {command}\nthe page shows:\n{wanted}\nthe command printed:\n{output}"
    return None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("--root", type=pathlib.Path, required=True)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    args = parser.parse_args()

    blocks = list(BLOCK.finditer(args.page.read_text()))
    if not any(block["file"] is None for block in blocks):
        print(f"{args.page}: no block to run")
        return 1
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(f"{folder}/build")
        os.symlink(args.bin.resolve(), f"{folder}/build/bin")
        python = args.bin.resolve().parent / "python"
        if python.exists():
            os.symlink(python, f"{folder}/build/python")
        os.symlink(sys.prefix, f"{folder}/.venv")
        os.symlink((args.root / "examples").resolve(), f"{folder}/examples")
        for block in blocks:
            if block["file"]:
                pathlib.Path(folder, block["file"]).write_text(block["text"])
            elif problem := run_block(block["text"], folder):
                print(problem)
                return 1
    print(f"{len(blocks)} blocks of {args.page} do what the page says")
    return 0


if __name__ == "__main__":
    sys.exit(main())

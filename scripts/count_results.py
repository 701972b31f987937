"""Adds up the test results in a folder and prints 'N passed, N failed, N skipped'.

Reads JUnit files (*.xml, as lit and pytest write them) and steps.tsv, which has
a line 'passed' or 'failed', tab, name for each test that is a script. Exits
with 1 if anything failed or nothing passed. Standard library only: it also has
to work where the setup failed.
"""

import pathlib
import sys
from xml.etree import ElementTree


def count(folder: pathlib.Path) -> tuple[int, list[str], int]:
    passed, failed, skipped = 0, [], 0
    for path in sorted(folder.glob("*.xml")):
        for case in ElementTree.parse(path).iter("testcase"):
            name = f"{path.stem}: {case.get('classname')}.{case.get('name')}"
            if case.find("failure") is not None or case.find("error") is not None:
                failed.append(name)
            elif case.find("skipped") is not None:
                skipped += 1
            else:
                passed += 1
    steps = folder / "steps.tsv"
    for line in steps.read_text().splitlines() if steps.exists() else []:
        outcome, name = line.split("\t")
        if outcome == "passed":
            passed += 1
        else:
            failed.append(name)
    return passed, failed, skipped


def main() -> int:
    passed, failed, skipped = count(pathlib.Path(sys.argv[1]))
    for name in failed:
        print(f"FAILED {name}")
    print(f"{passed} passed, {len(failed)} failed, {skipped} skipped", flush=True)
    return int(bool(failed) or passed == 0)


if __name__ == "__main__":
    sys.exit(main())

"""The package itself: its version, types and documentation."""

import ast
import inspect
import pathlib
import re
import shutil

import numpy as np
import xsa
from conftest import ROOT

PACKAGE = pathlib.Path(xsa.__file__).parent


def test_version_is_that_of_the_project():
    project = (ROOT / "CMakeLists.txt").read_text()
    assert xsa.__version__ == re.search(r"project\(xsa-mlir VERSION ([0-9.]+)", project)[1]


def test_build_requirements_are_pinned_alike():
    pinned = dict(re.findall(r'"([\w-]+)==([\d.]+)"', (ROOT / "pyproject.toml").read_text()))
    installed = (ROOT / "requirements-dev.txt").read_text().replace("_", "-")
    assert set(pinned) == {"scikit-build-core", "nanobind"}
    for name, version in pinned.items():
        assert f"{name}=={version}\n" in installed


def test_types_are_shipped():
    assert (PACKAGE / "py.typed").exists()
    assert (PACKAGE / "_core.pyi").exists()


def defined_names(tree: ast.AST) -> set[str]:
    return {n.name for n in ast.walk(tree) if isinstance(n, (ast.ClassDef, ast.FunctionDef))}


def test_stub_covers_the_extension():
    stub = defined_names(ast.parse((PACKAGE / "_core.pyi").read_text()))
    for name, value in vars(xsa._core).items():
        if not isinstance(value, type):
            continue
        members = {m for m in vars(value) if not m.startswith("_")}
        assert {name} | members <= stub


def test_the_guide_works(tmp_path, monkeypatch, models):
    monkeypatch.chdir(tmp_path)
    shutil.copy(models / "gpt2.mlir", "model.mlir")
    guide = (ROOT / "docs" / "python.md").read_text()
    code = re.findall(r"```python\n(.*?)```", guide, re.DOTALL)
    assert len(code) == 3
    names = {"tokens": np.load(models / "gpt2.npz")["arg0"]}
    exec("\n".join(code), names)
    assert [a.converted for a in names["explanation"].attentions] == [False, True]
    assert names["output"].shape == (2, 8, 16)


def public_members():
    for name in xsa.__all__:
        value = getattr(xsa, name)
        if not callable(value):
            continue
        yield name, value
        if isinstance(value, type):
            for member, what in vars(value).items():
                if not member.startswith("_") and (callable(what) or isinstance(what, property)):
                    yield f"{name}.{member}", what


def test_everything_public_is_documented():
    missing = [name for name, value in public_members() if not inspect.getdoc(value)]
    assert not missing


def test_everything_public_is_typed():
    for name, value in public_members():
        function = value.fget if isinstance(value, property) else value
        if inspect.isfunction(function):
            hints = inspect.get_annotations(function)
            parameters = [p for p in inspect.signature(function).parameters if p != "self"]
            assert {*parameters, "return"} <= set(hints), name


def test_public_names_are_those_of_the_package():
    for name in xsa.__all__:
        if isinstance(getattr(xsa, name), type):
            assert getattr(xsa, name).__module__ == "xsa"

#!/usr/bin/env bash
# Tests the importers of PyTorch, JAX and ONNX that PyPI has, end to end: models are
# exported, found, compiled, converted, run, and compared with their own framework;
# every recipe of docs/importing.md is executed. Needs a build with the Python package
# (scripts/test.sh makes one) and about 8 GB, for PyTorch and what comes with it.
#
#   scripts/test-importers.sh            the versions of test/importers/requirements.txt
#   scripts/test-importers.sh --newest   the newest ones, in an environment of their own
#   scripts/test-importers.sh --record   also write test/Integration/Models/Inputs anew
#
# XSA_VENV_IMPORTERS names an environment to use as it is.
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

newest=0 record=0
for arg in "$@"; do
  case $arg in
  --newest) newest=1 ;;
  --record) record=1 ;;
  -h | --help) print_usage "$0"; exit 0 ;;
  *) fail "unknown option '$arg' (see $0 --help)" ;;
  esac
done

cd "$XSA_ROOT"
build=$XSA_ROOT/build
[ -e "$build/python/xsa/__init__.py" ] || fail "no Python package in build/: run scripts/test.sh first"
requirements=test/importers/requirements.txt

venv=${XSA_VENV_IMPORTERS:-}
if [ -z "$venv" ]; then
  venv=$XSA_ROOT/.venv-importers
  [ $newest = 0 ] || venv=$XSA_ROOT/.venv-importers-newest
  [ -x "$venv/bin/pip" ] || python3 -m venv "$venv"
  say "Installing into $(basename "$venv")"
  if [ $newest = 1 ]; then
    grep -oE '^[A-Za-z0-9_-]+' "$requirements" | xargs "$venv/bin/pip" install --quiet --disable-pip-version-check --upgrade
  else
    "$venv/bin/pip" install --quiet --disable-pip-version-check -r "$requirements"
  fi
fi
say "$("$venv/bin/pip" freeze --disable-pip-version-check 2>/dev/null | grep -iE '^(torch|torch-mlir|jax|onnx|onnxscript|transformers)==' | tr '\n' ' ')"

export PYTHONPATH=$build/python XSA_BIN=$build/bin
"$venv/bin/python" -m pytest -q --tb=short --show-capture=no test/importers
if [ $record = 1 ]; then
  "$venv/bin/python" test/importers/models.py test/Integration/Models/Inputs torch_block jax_block jax_scan onnx_block
fi

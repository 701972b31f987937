#!/usr/bin/env bash
# Makes the wheel that `pip install .` makes, installs it into an empty folder and
# uses it from there. A finished build is reused, so nothing is compiled twice.
#
#   scripts/test-wheel.sh [BUILD]        BUILD: a finished build with
#                                        XSA_ENABLE_PYTHON=ON, by default build/
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

case ${1:-} in
-h | --help) print_usage "$0"; exit 0 ;;
-*) fail "unknown option '$1' (see $0 --help)" ;;
esac

build=$(cd "${1:-$XSA_ROOT/build}" && pwd)
python=$XSA_VENV/bin/python
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Neither step may reach for the network: everything is in .venv.
"$python" -m pip wheel "$XSA_ROOT" --wheel-dir "$work" --no-deps --no-build-isolation --no-index \
  --disable-pip-version-check -C "build-dir=$build" -C cmake.define.XSA_INCLUDE_TESTS=ON
"$python" -m pip install "$work"/*.whl --target "$work/site" --no-deps --no-index --disable-pip-version-check

# Only what belongs into it, and the run path leads to libMLIR.
(cd "$work/site" && find xsa -type f | sort)
[ ! -e "$work/site/bin" ] || fail "the wheel installs programs"
cd "$work"
PYTHONPATH=$work/site "$python" - "$XSA_ROOT/examples/models/gpt2" <<'PY'
import importlib.metadata
import sys

import numpy as np
import xsa

assert xsa.__file__.startswith(sys.path[1]), xsa.__file__
assert importlib.metadata.version("xsa-mlir") == xsa.__version__
recorded = np.load(sys.argv[1] + ".npz")
model = xsa.load(sys.argv[1] + ".mlir").convert_attention().compile()
error = float(abs(model(recorded["arg0"]) - recorded["xsa0"]).max())
print(xsa.__version__, model, "largest error", error)
assert error < 5e-5
PY

#!/usr/bin/env bash
# Shows what the project does: models as torch-mlir exported them (GPT-2, Llama)
# are turned into exclusive self attention, compiled, run on the CPU, and compared
# with PyTorch's own outputs.
#
#   scripts/demo.sh                  install what is missing, build, show
#   scripts/demo.sh --no-install     the same without installing anything
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

setup_args=()
for arg in "$@"; do
  case $arg in
  --no-install) setup_args+=(--no-install) ;;
  -h | --help) print_usage "$0"; exit 0 ;;
  *) fail "unknown option '$arg' (see $0 --help)" ;;
  esac
done

cd "$XSA_ROOT"
scripts/setup.sh "${setup_args[@]}"
say "Building xsa-opt and xsa-run in build/ (less than 10 minutes the first time, on two cores)"
xsa_configure build
xsa_build build xsa-opt xsa-run
exec "$XSA_VENV/bin/python" examples/demo.py --bin build/bin

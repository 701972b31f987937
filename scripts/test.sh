#!/usr/bin/env bash
# Builds everything in build/ and runs every test: the lit suite, the Python
# tests, an outside project built against an installed copy, the generated
# reference and the formatting. The last line is 'N passed, N failed, N skipped';
# the exit status is 0 only if nothing failed.
#
#   scripts/test.sh                  install what is missing, build, test
#   scripts/test.sh --no-install     the same without installing anything
#   scripts/test.sh --sanitize       and the lit suite once more, in build-sanitize/, under
#                                    AddressSanitizer and UndefinedBehaviorSanitizer, with
#                                    the assertions of LLVM's headers switched on
#
# CXX, MLIR_DIR and XSA_JOBS are respected.
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

setup_args=() sanitize=0
for arg in "$@"; do
  case $arg in
  --no-install) setup_args+=(--no-install) ;;
  --sanitize) sanitize=1 ;;
  -h | --help) print_usage "$0"; exit 0 ;;
  *) fail "unknown option '$arg' (see $0 --help)" ;;
  esac
done

cd "$XSA_ROOT"
build=$XSA_ROOT/build
results=$build/results
rm -rf "$results"
mkdir -p "$results"
python=$XSA_VENV/bin/python

# Whatever happens, the closing line is printed. A step that could not even run
# (setup, a build) counts as one failed test.
aborted=setup
finish() {
  [ -z "$aborted" ] || printf 'failed\t%s\n' "$aborted" >>"$results/steps.tsv"
  if command -v python3 >/dev/null; then
    python3 "$XSA_ROOT/scripts/count_results.py" "$results"
  else
    echo '0 passed, 1 failed, 0 skipped'
    exit 1
  fi
}
trap finish EXIT

# step NAME command...: one test by itself; its output is shown if it fails.
step() {
  local name=$1
  shift
  say "$name"
  if "$@" >"$results/step.log" 2>&1; then
    printf 'passed\t%s\n' "$name" >>"$results/steps.tsv"
  else
    cat "$results/step.log"
    printf 'failed\t%s\n' "$name" >>"$results/steps.tsv"
  fi
}

run_lit() { # DIR NAME
  say "lit: $2"
  # lit's exit status says no more than the file it writes, unless it wrote none.
  "$python" "$XSA_LLVM_BIN/lit" -sv --no-progress-bar -j "$XSA_JOBS" --xunit-xml-output "$results/$2.xml" "$1/test" || true
  [ -s "$results/$2.xml" ] || printf 'failed\t%s\n' "$2" >>"$results/steps.tsv"
}

run_pytest() {
  [ -d test/python ] || return 0
  say "pytest"
  PYTHONPATH=$build/python "$python" -m pytest -q test/python --junitxml "$results/pytest.xml" || true
  [ -s "$results/pytest.xml" ] || printf 'failed\tpytest\n' >>"$results/steps.tsv"
}

scripts/setup.sh "${setup_args[@]}"

aborted=build
say "Building in build/"
xsa_configure "$build" -DXSA_ENABLE_PYTHON=ON
xsa_build "$build"
aborted=''

run_lit "$build" lit
run_pytest
step "an outside project, against an installed copy" scripts/test-install.sh "$build"
step "the wheel of the Python package" scripts/test-wheel.sh "$build"
step "docs/reference is what TableGen generates" scripts/update-docs.sh --check
step "formatting" scripts/format.sh --check
step "shell scripts" "$XSA_VENV/bin/shellcheck" -x .ci/run scripts/*.sh

if [ $sanitize = 1 ]; then
  aborted='build with sanitizers'
  say "Building with sanitizers in build-sanitize/"
  xsa_configure "$XSA_ROOT/build-sanitize" '-DXSA_SANITIZE=address;undefined' -DCMAKE_CXX_FLAGS_RELEASE=-O1
  xsa_build "$XSA_ROOT/build-sanitize"
  aborted=''
  run_lit "$XSA_ROOT/build-sanitize" lit-sanitize
fi

#!/usr/bin/env bash
# Formats the sources (clang-format for C++, ruff for Python, which also finds
# unused names), with the versions pinned in requirements-dev.txt.
#
#   scripts/format.sh            format in place
#   scripts/format.sh --check    change nothing, fail if something would change
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

cd "$XSA_ROOT"
tool() { [ -x "$XSA_VENV/bin/$1" ] || fail "no $1 in .venv (run scripts/setup.sh)"; echo "$XSA_VENV/bin/$1"; }
clang_format=$(tool clang-format)
ruff=$(tool ruff)

case ${1:-} in
'') clang_mode=(-i) ruff_mode=() lint_mode=(--fix) ;;
--check) clang_mode=(--dry-run -Werror) ruff_mode=(--check) lint_mode=() ;;
-h | --help) print_usage "$0"; exit 0 ;;
*) fail "unknown option '$1' (see $0 --help)" ;;
esac

sources() { find include lib tools python test examples benchmarks scripts -type f "$@" -not -path '*/.*' 2>/dev/null | sort; }
status=0
sources \( -name '*.cpp' -o -name '*.h' \) | xargs -r "$clang_format" "${clang_mode[@]}" || status=1
sources -name '*.py' | xargs -r "$ruff" format --quiet "${ruff_mode[@]}" || status=1
sources -name '*.py' | xargs -r "$ruff" check --quiet "${lint_mode[@]}" || status=1
if [ $status != 0 ]; then
  echo "scripts/format.sh puts this right"
fi
exit $status

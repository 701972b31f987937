#!/usr/bin/env bash
# Writes docs/reference/ from the TableGen files.
#
#   scripts/update-docs.sh            write docs/reference/
#   scripts/update-docs.sh --check    change nothing, fail if it is not up to date
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

check=0
case ${1:-} in
'') ;;
--check) check=1 ;;
-h | --help) print_usage "$0"; exit 0 ;;
*) fail "unknown option '$1' (see $0 --help)" ;;
esac

cd "$XSA_ROOT"
reference=docs/reference
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

tblgen() {
  "$XSA_LLVM_BIN/mlir-tblgen" -I include -I "$(dirname "$XSA_LLVM_BIN")/include" "$@"
}

# A page for every dialect (IR/*Ops.td that defines one) and every Passes.td,
# named after its folder: Dialect/XSA/IR -> XSADialect.md, Conversion/XSAToLinalg
# -> XSAToLinalgPasses.md.
for file in include/xsa/Dialect/*/IR/*Ops.td; do
  name=$(basename "$(dirname "$(dirname "$file")")")
  dialect=$(grep -hoE 'let name = "[a-z_]+"' "$(dirname "$file")"/*.td | head -1 | cut -d'"' -f2)
  tblgen -gen-dialect-doc -dialect "$dialect" "$file" -o "$out/${name}Dialect.md"
done
while IFS= read -r file; do
  folder=${file#include/xsa/}
  folder=${folder#Dialect/}
  folder=${folder#Conversion/}
  name=$(dirname "$folder" | tr -d /)
  { echo "# ${name} passes"; echo; tblgen -gen-pass-doc "$file"; } >"$out/${name}.md"
done < <(find include/xsa -name Passes.td | sort)

if [ $check = 1 ]; then
  diff -ru "$reference" "$out" || fail "$reference is out of date: run scripts/update-docs.sh"
else
  rm -rf "$reference"
  mkdir -p "$reference"
  cp "$out"/* "$reference/"
fi

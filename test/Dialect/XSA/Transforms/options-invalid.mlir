// RUN: not xsa-opt %s --xsa-tile-attention=query-tile=-3 2>&1 | FileCheck %s --check-prefix=ROWS
// ROWS: error: expected the option 'query-tile' to be from 0 to 4096, got -3
// RUN: not xsa-opt %s --xsa-tile-attention=key-tile=100000 2>&1 | FileCheck %s --check-prefix=KEYS
// KEYS: error: expected the option 'key-tile' to be from 0 to 4096, got 100000
// RUN: not xsa-opt %s --xsa-tile-attention=vector-bits=0 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: expected the option 'vector-bits' to be a power of two from 64 to 4096, got 0
// RUN: not xsa-opt %s --xsa-vectorize-tiles=vector-bits=7 2>&1 | FileCheck %s --check-prefix=ODD
// ODD: error: expected the option 'vector-bits' to be a power of two from 64 to 4096, got 7
// RUN: not xsa-opt %s --xsa-vectorize-tiles=block-rows=-1 2>&1 | FileCheck %s --check-prefix=BLOCK
// BLOCK: error: expected the option 'block-rows' to be from 0 to 64, got -1

func.func @main() {
  return
}

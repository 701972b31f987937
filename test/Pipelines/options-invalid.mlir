// RUN: not xsa-opt %s --xsa-lower-to-cpu-pipeline=vector-bits=100000 2>&1 | FileCheck %s --check-prefix=VECTOR
// VECTOR: error: expected the option 'vector-bits' to be a power of two from 64 to 4096, got 100000
// RUN: not xsa-opt %s --xsa-lower-to-cpu-pipeline=parallel-work=0 2>&1 | FileCheck %s --check-prefix=WORK
// WORK: error: expected the option 'parallel-work' to be from 1 to {{[0-9]+}}, got 0

func.func @main() {
  return
}

// RUN: not xsa-opt %s --xsa-lower-to-cpu-pipeline=vector-bits=100000 2>&1 | FileCheck %s --check-prefix=VECTOR
// VECTOR: error: expected the option 'vector-bits' to be a power of two from 64 to 4096, got 100000
// RUN: not xsa-opt %s --xsa-lower-to-cpu-pipeline=parallel-work=0 2>&1 | FileCheck %s --check-prefix=WORK
// WORK: error: expected the option 'parallel-work' to be from 1 to {{[0-9]+}}, got 0
// RUN: not xsa-opt %s --xsa-lower-to-nvvm-pipeline=format=nonsense 2>&1 | FileCheck %s --check-prefix=FORMAT
// FORMAT: for the --format option: expected mlir, llvm, isa, bin or fatbin, got 'nonsense'
// RUN: not xsa-opt %s --xsa-lower-to-nvvm-pipeline=ptx=89 2>&1 | FileCheck %s --check-prefix=PTX
// PTX: for the --ptx option: expected a version of PTX from 60 to 90, got '89'
// RUN: not xsa-opt %s --xsa-lower-to-nvvm-pipeline=query-tile=-16 2>&1 | FileCheck %s --check-prefix=QUERY
// QUERY: error: expected the option 'query-tile' to be from 0 to 1024, got -16
// RUN: not xsa-opt %s --xsa-lower-to-nvvm-pipeline=key-tile=4096 2>&1 | FileCheck %s --check-prefix=KEY
// KEY: error: expected the option 'key-tile' to be from 0 to 1024, got 4096
// RUN: not xsa-opt %s --xsa-lower-to-nvvm-pipeline=warps=-1 2>&1 | FileCheck %s --check-prefix=WARPS
// WARPS: error: expected the option 'warps' to be from 0 to 32, got -1
// RUN: not xsa-opt %s --xsa-lower-to-nvvm-pipeline=stages=9223372036854775807 2>&1 | FileCheck %s --check-prefix=STAGES
// STAGES: error: expected the option 'stages' to be from 0 to 16, got 9223372036854775807
// RUN: not xsa-opt %s --xsa-lower-to-nvvm-pipeline=chip=sm_0080 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not xsa-opt %s --xsa-lower-to-nvvm-pipeline=chip=sm_8000 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not xsa-opt %s --xsa-lower-to-nvvm-pipeline=chip=sm_80a 2>&1 | FileCheck %s --check-prefix=CHIP
// CHIP: error: unknown chip 'sm_{{.*}}': expected sm_80 or a later one, such as sm_90

func.func @main() {
  return
}

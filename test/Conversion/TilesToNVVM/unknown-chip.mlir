// RUN: xsa-opt %s -xsa-tile-attention-for-gpu="chip=sm_75" -verify-diagnostics
// RUN: not xsa-opt %s -xsa-tile-attention-for-gpu="chip=sm_75" 2>&1 | FileCheck %s

// The function is not wrong, so its text, which may be all of a model, is not shown.
// CHECK: error: unknown chip 'sm_75'
// CHECK-NOT: see current operation
// expected-error @+1 {{unknown chip 'sm_75': expected sm_80 or a later one, such as sm_90}}
func.func @f() {
  return
}

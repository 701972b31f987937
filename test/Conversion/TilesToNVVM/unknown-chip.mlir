// RUN: xsa-opt %s -xsa-tile-attention-for-gpu="chip=sm_75" -verify-diagnostics

// expected-error @+1 {{unknown chip 'sm_75': expected sm_80 or a later one, such as sm_90}}
func.func @f() {
  return
}

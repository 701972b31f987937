// RUN: xsa-opt %s -xsa-tile-attention-for-gpu="chip=sm_75" -verify-diagnostics

// expected-error @+1 {{unknown chip 'sm_75': expected sm_80 or later}}
func.func @f() {
  return
}

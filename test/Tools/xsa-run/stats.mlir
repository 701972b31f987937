// REQUIRES: execution, numpy
// RUN: %python %S/Inputs/npz.py write %t.in.npz "arg0=np.random.rand(300, 400).astype(np.float32)" "arg1=np.random.rand(400, 500).astype(np.float32)"
// RUN: xsa-run %s --entry product --target cpu --inputs %t.in.npz --outputs %t.1.npz --threads 1 --repeat 4 --stats %t.json --chip sm_90
// RUN: %python -c "import json, sys; s = json.load(open(sys.argv[1])); \
// RUN:   print(sorted(s), len(s['times_s']), min(s['times_s']) > 0, s['compile_s'] > 0, s['peak_rss_bytes'] > 10**7, s['kernels'])" %t.json | FileCheck %s
// CHECK: ['compile_s', 'kernels', 'peak_rss_bytes', 'times_s'] 4 True True True []

// The number of threads does not change the result.
// RUN: xsa-run %s --entry product --inputs %t.in.npz --outputs %t.2.npz --threads 3
// RUN: %python %S/Inputs/npz.py check %t.1.npz --inputs %t.in.npz "out0=arg0 @ arg1" --tolerance 1e-4 | FileCheck %s --check-prefix=AGREE
// RUN: cmp %t.1.npz %t.2.npz
// AGREE: arrays agree

// Nothing is written that is not asked for, and no inputs are needed by a
// function without arguments.
// RUN: xsa-run %s --entry nothing

func.func @product(%a: tensor<300x400xf32>, %b: tensor<400x500xf32>) -> tensor<300x500xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<300x500xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<300x500xf32>) -> tensor<300x500xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<300x400xf32>, tensor<400x500xf32>) outs(%f : tensor<300x500xf32>) -> tensor<300x500xf32>
  return %0 : tensor<300x500xf32>
}

func.func @nothing() {
  return
}

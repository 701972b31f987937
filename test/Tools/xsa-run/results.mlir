// REQUIRES: execution, numpy
// Results are buffers of their own: an argument returned, one value returned
// twice, a view of another result, constants small and large. Arguments are not
// written, although the second result is computed in their place on tensors.
// RUN: %python %S/Inputs/npz.py write %t.in.npz "arg0=np.arange(4, dtype=np.float32)"
// RUN: xsa-run %s --inputs %t.in.npz --outputs %t.out.npz --repeat 3
// RUN: %python %S/Inputs/npz.py check %t.out.npz --inputs %t.in.npz \
// RUN:   out0=arg0 out1=arg0+arg0 out2=arg0+arg0 "out3=(arg0+arg0).reshape(2, 2)" \
// RUN:   "out4=np.array([1, 2], np.float32)" "out5=np.full((64, 64), 7, np.int64)" \
// RUN:   "out6=np.arange(300, dtype=np.int64) % 3 == 0" "out7=(arg0+arg0)[1:3]" | FileCheck %s
// CHECK: arrays agree

#id = affine_map<(i) -> (i)>
func.func @main(%x: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2x2xf32>, tensor<2xf32>, tensor<64x64xi64>, tensor<300xi1>, tensor<2xf32>) {
  %0 = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%x : tensor<4xf32>) {
  ^bb0(%a: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  %1 = tensor.expand_shape %0 [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>
  %2 = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %3 = arith.constant dense<7> : tensor<64x64xi64>
  %e = tensor.empty() : tensor<300xi1>
  %c3 = arith.constant 3 : index
  %c0 = arith.constant 0 : index
  %4 = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%e : tensor<300xi1>) {
  ^bb0(%a: i1):
    %i = linalg.index 0 : index
    %r = arith.remui %i, %c3 : index
    %z = arith.cmpi eq, %r, %c0 : index
    linalg.yield %z : i1
  } -> tensor<300xi1>
  %5 = tensor.extract_slice %0[1] [2] [1] : tensor<4xf32> to tensor<2xf32>
  return %x, %0, %0, %1, %2, %3, %4, %5
      : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2x2xf32>, tensor<2xf32>, tensor<64x64xi64>, tensor<300xi1>, tensor<2xf32>
}

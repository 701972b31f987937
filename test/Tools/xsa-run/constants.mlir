// REQUIRES: execution, numpy
// Weights are used where the module keeps them: as text, as resources, as bits,
// as one value for all elements.
// RUN: %python %S/Inputs/npz.py write %t.in.npz "arg0=np.arange(64, dtype=np.float32)"
// RUN: xsa-run %s --inputs %t.in.npz --outputs %t.out.npz
// RUN: %python %S/Inputs/npz.py check %t.out.npz --inputs %t.in.npz "out0=arg0 + 1" "out1=np.arange(512) % 8 == 0" "out2=arg0 * 2 + 3" | FileCheck %s
// CHECK: arrays agree

#id = affine_map<(i) -> (i)>
func.func @main(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<512xi1>, tensor<64xf32>) {
  %ones = arith.constant dense<1.0> : tensor<64xf32>
  %0 = arith.addf %x, %ones : tensor<64xf32>
  %bits = arith.constant dense<"0x01010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101010101"> : tensor<512xi1>
  %e = tensor.empty() : tensor<512xi1>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%bits : tensor<512xi1>) outs(%e : tensor<512xi1>) {
  ^bb0(%a: i1, %o: i1):
    linalg.yield %a : i1
  } -> tensor<512xi1>
  %threes = arith.constant dense_resource<threes> : tensor<2xf32>
  %c0 = arith.constant 0 : index
  %three = tensor.extract %threes[%c0] : tensor<2xf32>
  %f = tensor.empty() : tensor<64xf32>
  %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<64xf32>) outs(%f : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %d = arith.addf %a, %a : f32
    %s = arith.addf %d, %three : f32
    linalg.yield %s : f32
  } -> tensor<64xf32>
  return %0, %1, %2 : tensor<64xf32>, tensor<512xi1>, tensor<64xf32>
}

{-#
  dialect_resources: {
    builtin: {
      threes: "0x040000000000404000004040"
    }
  }
#-}

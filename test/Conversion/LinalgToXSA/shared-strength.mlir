// RUN: xsa-opt %s --pass-pipeline='builtin.module(func.func(xsa-raise-attention),cse)' | FileCheck %s

// A strength whose parts are used twice each is walked part by part, not path by
// path: with forty of them one above the other there are 2^40 paths.

#q = affine_map<(i, d, j, e) -> (i, d)>
#k = affine_map<(i, d, j, e) -> (j, d)>
#v = affine_map<(i, d, j, e) -> (j, e)>
#o = affine_map<(i, d, j, e) -> (i, e)>
#id = affine_map<(i, e) -> (i, e)>
#row = affine_map<(i, e) -> (i)>

// CHECK-LABEL: func @shared_parts(
// CHECK: xsa.attention {exclusion = #xsa.exclusion<raw>,
// CHECK-SAME: strength(
// CHECK-NOT: arith.subf
// CHECK: return
func.func @shared_parts(%x: tensor<8x4xf32>, %a: tensor<8xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x4xf32>
  %sums = tensor.empty() : tensor<8xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%sums : tensor<8xf32>) -> tensor<8xf32>
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o], scale = 0.5 : f64} ins(%x, %x, %x : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) outs(%empty : tensor<8x4xf32>) -> tensor<8x4xf32>
  %dot = linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "reduction"]} ins(%y, %x : tensor<8x4xf32>, tensor<8x4xf32>) outs(%sum0 : tensor<8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %out: f32):
    %m = arith.mulf %a0, %a1 : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %n = linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "reduction"]} ins(%x, %x : tensor<8x4xf32>, tensor<8x4xf32>) outs(%sum0 : tensor<8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %out: f32):
    %m = arith.mulf %a0, %a1 : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %z = linalg.generic {indexing_maps = [#id, #id, #row, #row, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%y, %x, %dot, %n, %a : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) outs(%empty : tensor<8x4xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %s0: f32, %out: f32):
    %t0 = math.tanh %s0 : f32
    %s1 = arith.addf %s0, %t0 : f32
    %t1 = math.tanh %s1 : f32
    %s2 = arith.addf %s1, %t1 : f32
    %t2 = math.tanh %s2 : f32
    %s3 = arith.addf %s2, %t2 : f32
    %t3 = math.tanh %s3 : f32
    %s4 = arith.addf %s3, %t3 : f32
    %t4 = math.tanh %s4 : f32
    %s5 = arith.addf %s4, %t4 : f32
    %t5 = math.tanh %s5 : f32
    %s6 = arith.addf %s5, %t5 : f32
    %t6 = math.tanh %s6 : f32
    %s7 = arith.addf %s6, %t6 : f32
    %t7 = math.tanh %s7 : f32
    %s8 = arith.addf %s7, %t7 : f32
    %t8 = math.tanh %s8 : f32
    %s9 = arith.addf %s8, %t8 : f32
    %t9 = math.tanh %s9 : f32
    %s10 = arith.addf %s9, %t9 : f32
    %t10 = math.tanh %s10 : f32
    %s11 = arith.addf %s10, %t10 : f32
    %t11 = math.tanh %s11 : f32
    %s12 = arith.addf %s11, %t11 : f32
    %t12 = math.tanh %s12 : f32
    %s13 = arith.addf %s12, %t12 : f32
    %t13 = math.tanh %s13 : f32
    %s14 = arith.addf %s13, %t13 : f32
    %t14 = math.tanh %s14 : f32
    %s15 = arith.addf %s14, %t14 : f32
    %t15 = math.tanh %s15 : f32
    %s16 = arith.addf %s15, %t15 : f32
    %t16 = math.tanh %s16 : f32
    %s17 = arith.addf %s16, %t16 : f32
    %t17 = math.tanh %s17 : f32
    %s18 = arith.addf %s17, %t17 : f32
    %t18 = math.tanh %s18 : f32
    %s19 = arith.addf %s18, %t18 : f32
    %t19 = math.tanh %s19 : f32
    %s20 = arith.addf %s19, %t19 : f32
    %t20 = math.tanh %s20 : f32
    %s21 = arith.addf %s20, %t20 : f32
    %t21 = math.tanh %s21 : f32
    %s22 = arith.addf %s21, %t21 : f32
    %t22 = math.tanh %s22 : f32
    %s23 = arith.addf %s22, %t22 : f32
    %t23 = math.tanh %s23 : f32
    %s24 = arith.addf %s23, %t23 : f32
    %t24 = math.tanh %s24 : f32
    %s25 = arith.addf %s24, %t24 : f32
    %t25 = math.tanh %s25 : f32
    %s26 = arith.addf %s25, %t25 : f32
    %t26 = math.tanh %s26 : f32
    %s27 = arith.addf %s26, %t26 : f32
    %t27 = math.tanh %s27 : f32
    %s28 = arith.addf %s27, %t27 : f32
    %t28 = math.tanh %s28 : f32
    %s29 = arith.addf %s28, %t28 : f32
    %t29 = math.tanh %s29 : f32
    %s30 = arith.addf %s29, %t29 : f32
    %t30 = math.tanh %s30 : f32
    %s31 = arith.addf %s30, %t30 : f32
    %t31 = math.tanh %s31 : f32
    %s32 = arith.addf %s31, %t31 : f32
    %t32 = math.tanh %s32 : f32
    %s33 = arith.addf %s32, %t32 : f32
    %t33 = math.tanh %s33 : f32
    %s34 = arith.addf %s33, %t33 : f32
    %t34 = math.tanh %s34 : f32
    %s35 = arith.addf %s34, %t34 : f32
    %t35 = math.tanh %s35 : f32
    %s36 = arith.addf %s35, %t35 : f32
    %t36 = math.tanh %s36 : f32
    %s37 = arith.addf %s36, %t36 : f32
    %t37 = math.tanh %s37 : f32
    %s38 = arith.addf %s37, %t37 : f32
    %t38 = math.tanh %s38 : f32
    %s39 = arith.addf %s38, %t38 : f32
    %t39 = math.tanh %s39 : f32
    %s40 = arith.addf %s39, %t39 : f32
    %q = arith.divf %a2, %a3 : f32
    %c = arith.mulf %q, %s40 : f32
    %m = arith.mulf %c, %a1 : f32
    %r = arith.subf %a0, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x4xf32>
  return %z : tensor<8x4xf32>
}

// RUN: xsa-opt %s --raise-attention-to-xsa 2>/dev/null | FileCheck %s
// RUN: xsa-opt %s --raise-attention-to-xsa="strict=true" 2>/dev/null | FileCheck %s --check-prefix=STRICT

// Probabilities that are replaced by 0 where a mask hides keys, beside a mask that
// hides others: what the finite values of one leave in a row that the other
// empties is kept.

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// Where both masks are finite, keys of one share a row with those of the other:
// what is set to 0 has been in the sum.
// CHECK-LABEL: func @two_finite(
// CHECK-NOT: xsa.attention
// CHECK: return
func.func @two_finite(%x: tensor<8x4xf32>, %a: tensor<8x8xi1>, %b: tensor<8x8xi1>) -> tensor<8x4xf32> {
  %fill = arith.constant -1.0e+09 : f32
  %s = call @scores(%x) : (tensor<8x4xf32>) -> tensor<8x8xf32>
  %s1 = call @add(%s, %a, %fill) : (tensor<8x8xf32>, tensor<8x8xi1>, f32) -> tensor<8x8xf32>
  %s2 = call @add(%s1, %b, %fill) : (tensor<8x8xf32>, tensor<8x8xi1>, f32) -> tensor<8x8xf32>
  %y = call @rest(%s2, %a, %x) : (tensor<8x8xf32>, tensor<8x8xi1>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// A row whose keys the second mask hides, of those that the first one keeps, is an
// average over the others, and is not set to 0.
// CHECK-LABEL: func @row_of_two(
// CHECK-NOT: xsa.attention
// CHECK: return
func.func @row_of_two(%x: tensor<8x4xf32>, %a: tensor<8x8xi1>, %b: tensor<8x8xi1>) -> tensor<8x4xf32> {
  %fill = arith.constant -1.0e+09 : f32
  %least = arith.constant 0xFF800000 : f32
  %s = call @scores(%x) : (tensor<8x4xf32>) -> tensor<8x8xf32>
  %s1 = call @add(%s, %a, %fill) : (tensor<8x8xf32>, tensor<8x8xi1>, f32) -> tensor<8x8xf32>
  %s2 = call @add(%s1, %b, %least) : (tensor<8x8xf32>, tensor<8x8xi1>, f32) -> tensor<8x8xf32>
  %any = call @any(%a) : (tensor<8x8xi1>) -> tensor<8x8xi1>
  %y = call @rest(%s2, %any, %x) : (tensor<8x8xf32>, tensor<8x8xi1>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// What the first mask hides has a finite value in place of its -inf where the
// second one hides it too, and takes part in the average of such a row.
// CHECK-LABEL: func @covered(
// CHECK-NOT: xsa.attention
// CHECK: return
func.func @covered(%x: tensor<8x4xf32>, %a: tensor<8x8xi1>, %b: tensor<8x8xi1>) -> tensor<8x4xf32> {
  %fill = arith.constant -1.0e+09 : f32
  %least = arith.constant 0xFF800000 : f32
  %s = call @scores(%x) : (tensor<8x4xf32>) -> tensor<8x8xf32>
  %s1 = call @replace(%s, %a, %least) : (tensor<8x8xf32>, tensor<8x8xi1>, f32) -> tensor<8x8xf32>
  %s2 = call @replace(%s1, %b, %fill) : (tensor<8x8xf32>, tensor<8x8xi1>, f32) -> tensor<8x8xf32>
  %y = call @rest(%s2, %a, %x) : (tensor<8x8xf32>, tensor<8x8xi1>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// With the one mask alone the row is without keys, and a mask.
// CHECK-LABEL: func @row_of_one(
// CHECK: xsa.attention
// CHECK-SAME: mask(
func.func @row_of_one(%x: tensor<8x4xf32>, %a: tensor<8x8xi1>) -> tensor<8x4xf32> {
  %fill = arith.constant -1.0e+09 : f32
  %s = call @scores(%x) : (tensor<8x4xf32>) -> tensor<8x8xf32>
  %s1 = call @add(%s, %a, %fill) : (tensor<8x8xf32>, tensor<8x8xi1>, f32) -> tensor<8x8xf32>
  %any = call @any(%a) : (tensor<8x8xi1>) -> tensor<8x8xi1>
  %y = call @rest(%s1, %any, %x) : (tensor<8x8xf32>, tensor<8x8xi1>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// Half of the keys say nothing of the row.
// CHECK-LABEL: func @half_of_the_keys(
// CHECK-NOT: xsa.attention
// CHECK: return
func.func @half_of_the_keys(%x: tensor<8x4xf32>, %a: tensor<8x8xi1>) -> tensor<8x4xf32> {
  %fill = arith.constant -1.0e+09 : f32
  %false = arith.constant false
  %s = call @scores(%x) : (tensor<8x4xf32>) -> tensor<8x8xf32>
  %s1 = call @add(%s, %a, %fill) : (tensor<8x8xf32>, tensor<8x8xi1>, f32) -> tensor<8x8xf32>
  %half = tensor.extract_slice %a[0, 0] [8, 4] [1, 1] : tensor<8x8xi1> to tensor<8x4xi1>
  %e = tensor.empty() : tensor<8xi1>
  %r0 = linalg.fill ins(%false : i1) outs(%e : tensor<8xi1>) -> tensor<8xi1>
  %r = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%half : tensor<8x4xi1>) outs(%r0 : tensor<8xi1>) {
  ^bb0(%c: i1, %o: i1):
    %n = arith.ori %c, %o : i1
    linalg.yield %n : i1
  } -> tensor<8xi1>
  %ew = tensor.empty() : tensor<8x8xi1>
  %any = linalg.broadcast ins(%r : tensor<8xi1>) outs(%ew : tensor<8x8xi1>) dimensions = [1]
  %y = call @rest(%s1, %any, %x) : (tensor<8x8xf32>, tensor<8x8xi1>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// Of two masks of -inf the second may empty a row that is not set to 0: the model
// gives NaN there.
// CHECK-LABEL: func @two_infinite(
// CHECK: xsa.attention
// STRICT-LABEL: func @two_infinite(
// STRICT-NOT: xsa.attention
// STRICT: return
func.func @two_infinite(%x: tensor<8x4xf32>, %a: tensor<8x8xi1>, %b: tensor<8x8xi1>) -> tensor<8x4xf32> {
  %least = arith.constant 0xFF800000 : f32
  %s = call @scores(%x) : (tensor<8x4xf32>) -> tensor<8x8xf32>
  %s1 = call @add(%s, %a, %least) : (tensor<8x8xf32>, tensor<8x8xi1>, f32) -> tensor<8x8xf32>
  %s2 = call @add(%s1, %b, %least) : (tensor<8x8xf32>, tensor<8x8xi1>, f32) -> tensor<8x8xf32>
  %y = call @rest(%s2, %a, %x) : (tensor<8x8xf32>, tensor<8x8xi1>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// STRICT-LABEL: func @one_infinite(
// STRICT: xsa.attention
func.func @one_infinite(%x: tensor<8x4xf32>, %a: tensor<8x8xi1>) -> tensor<8x4xf32> {
  %least = arith.constant 0xFF800000 : f32
  %s = call @scores(%x) : (tensor<8x4xf32>) -> tensor<8x8xf32>
  %s1 = call @add(%s, %a, %least) : (tensor<8x8xf32>, tensor<8x8xi1>, f32) -> tensor<8x8xf32>
  %y = call @rest(%s1, %a, %x) : (tensor<8x8xf32>, tensor<8x8xi1>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// A row is without keys where its bias is -inf for all of them.
// CHECK-LABEL: func @added_bias(
// CHECK: xsa.attention
// STRICT-LABEL: func @added_bias(
// STRICT: xsa.attention
func.func @added_bias(%x: tensor<8x4xf32>, %b: tensor<8x8xf32>) -> tensor<8x4xf32> {
  %one = arith.constant 1.0 : f32
  %y = call @biased(%x, %b, %one) : (tensor<8x4xf32>, tensor<8x8xf32>, f32) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// Subtracted, or with the scores turned around, it is infinite: the row is NaN, and
// set to 0.
// CHECK-LABEL: func @subtracted_bias(
// CHECK-NOT: xsa.attention
// CHECK: return
func.func @subtracted_bias(%x: tensor<8x4xf32>, %b: tensor<8x8xf32>) -> tensor<8x4xf32> {
  %es = tensor.empty() : tensor<8x8xf32>
  %s = call @scores(%x) : (tensor<8x4xf32>) -> tensor<8x8xf32>
  %s1 = linalg.sub ins(%s, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %finite = call @is_kept(%b) : (tensor<8x8xf32>) -> tensor<8x8xi1>
  %any = call @any(%finite) : (tensor<8x8xi1>) -> tensor<8x8xi1>
  %y = call @rest(%s1, %any, %x) : (tensor<8x8xf32>, tensor<8x8xi1>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// CHECK-LABEL: func @negated_bias(
// CHECK-NOT: xsa.attention
// CHECK: return
func.func @negated_bias(%x: tensor<8x4xf32>, %b: tensor<8x8xf32>) -> tensor<8x4xf32> {
  %minus = arith.constant -1.0 : f32
  %y = call @biased(%x, %b, %minus) : (tensor<8x4xf32>, tensor<8x8xf32>, f32) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// A mask besides may empty rows of which the bias says nothing.
// CHECK-LABEL: func @bias_and_mask(
// CHECK: xsa.attention
// STRICT-LABEL: func @bias_and_mask(
// STRICT-NOT: xsa.attention
// STRICT: return
func.func @bias_and_mask(%x: tensor<8x4xf32>, %b: tensor<8x8xf32>, %a: tensor<8x8xi1>) -> tensor<8x4xf32> {
  %least = arith.constant 0xFF800000 : f32
  %one = arith.constant 1.0 : f32
  %s = call @scores(%x) : (tensor<8x4xf32>) -> tensor<8x8xf32>
  %s1 = call @bias(%s, %b, %one) : (tensor<8x8xf32>, tensor<8x8xf32>, f32) -> tensor<8x8xf32>
  %s2 = call @add(%s1, %a, %least) : (tensor<8x8xf32>, tensor<8x8xi1>, f32) -> tensor<8x8xf32>
  %finite = call @is_kept(%b) : (tensor<8x8xf32>) -> tensor<8x8xi1>
  %any = call @any(%finite) : (tensor<8x8xi1>) -> tensor<8x8xi1>
  %y = call @rest(%s2, %any, %x) : (tensor<8x8xf32>, tensor<8x8xi1>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

func.func private @biased(%x: tensor<8x4xf32>, %b: tensor<8x8xf32>, %scale: f32) -> tensor<8x4xf32> {
  %s = call @scores(%x) : (tensor<8x4xf32>) -> tensor<8x8xf32>
  %s1 = call @bias(%s, %b, %scale) : (tensor<8x8xf32>, tensor<8x8xf32>, f32) -> tensor<8x8xf32>
  %finite = call @is_kept(%b) : (tensor<8x8xf32>) -> tensor<8x8xi1>
  %any = call @any(%finite) : (tensor<8x8xi1>) -> tensor<8x8xi1>
  %y = call @rest(%s1, %any, %x) : (tensor<8x8xf32>, tensor<8x8xi1>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

func.func private @bias(%s: tensor<8x8xf32>, %b: tensor<8x8xf32>, %scale: f32) -> tensor<8x8xf32> {
  %es = tensor.empty() : tensor<8x8xf32>
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%s, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %n = arith.addf %a, %c : f32
    %d = arith.mulf %n, %scale : f32
    linalg.yield %d : f32
  } -> tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}

func.func private @is_kept(%b: tensor<8x8xf32>) -> tensor<8x8xi1> {
  %least = arith.constant 0xFF800000 : f32
  %true = arith.constant true
  %e = tensor.empty() : tensor<8x8xi1>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%b : tensor<8x8xf32>) outs(%e : tensor<8x8xi1>) {
  ^bb0(%a: f32, %out: i1):
    %c = arith.cmpf oeq, %a, %least : f32
    %n = arith.xori %c, %true : i1
    linalg.yield %n : i1
  } -> tensor<8x8xi1>
  return %r : tensor<8x8xi1>
}

func.func private @scores(%x: tensor<8x4xf32>) -> tensor<8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %et = tensor.empty() : tensor<4x8xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %t = linalg.transpose ins(%x : tensor<8x4xf32>) outs(%et : tensor<4x8xf32>) permutation = [1, 0]
  %s = linalg.matmul ins(%x, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %s : tensor<8x8xf32>
}

func.func private @add(%s: tensor<8x8xf32>, %keep: tensor<8x8xi1>, %fill: f32) -> tensor<8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%s, %keep : tensor<8x8xf32>, tensor<8x8xi1>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a: f32, %k: i1, %out: f32):
    %b = arith.select %k, %zero, %fill : f32
    %n = arith.addf %a, %b : f32
    linalg.yield %n : f32
  } -> tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}

func.func private @replace(%s: tensor<8x8xf32>, %keep: tensor<8x8xi1>, %fill: f32) -> tensor<8x8xf32> {
  %es = tensor.empty() : tensor<8x8xf32>
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%s, %keep : tensor<8x8xf32>, tensor<8x8xi1>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a: f32, %k: i1, %out: f32):
    %n = arith.select %k, %a, %fill : f32
    linalg.yield %n : f32
  } -> tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}

func.func private @any(%keep: tensor<8x8xi1>) -> tensor<8x8xi1> {
  %false = arith.constant false
  %e = tensor.empty() : tensor<8xi1>
  %ew = tensor.empty() : tensor<8x8xi1>
  %r0 = linalg.fill ins(%false : i1) outs(%e : tensor<8xi1>) -> tensor<8xi1>
  %r = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%keep : tensor<8x8xi1>) outs(%r0 : tensor<8xi1>) {
  ^bb0(%c: i1, %o: i1):
    %n = arith.ori %c, %o : i1
    linalg.yield %n : i1
  } -> tensor<8xi1>
  %any = linalg.broadcast ins(%r : tensor<8xi1>) outs(%ew : tensor<8x8xi1>) dimensions = [1]
  return %any : tensor<8x8xi1>
}

// Softmax, what is not in `keep` set to 0, and the product with values.
func.func private @rest(%s: tensor<8x8xf32>, %keep: tensor<8x8xi1>, %x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %z = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%keep, %p : tensor<8x8xi1>, tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%k: i1, %a: f32, %out: f32):
    %n = arith.select %k, %a, %zero : f32
    linalg.yield %n : f32
  } -> tensor<8x8xf32>
  %y = linalg.matmul ins(%z, %x : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

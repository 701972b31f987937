// RUN: xsa-opt %s --pass-pipeline='builtin.module(func.func(xsa-make-exclusive))' 2>/dev/null | FileCheck %s
// RUN: xsa-opt %s --pass-pipeline='builtin.module(func.func(xsa-make-exclusive))' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:

// Where the row of a token stands in what a model reads it from: in an index of
// its own or beside others, in parts, in windows, in a list of positions.

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>
#l = affine_map<(m, k1, k2, n) -> (m)>
#id = affine_map<(i, e) -> (i, e)>
#row = affine_map<(i, e) -> (i)>

// One index for row and column.
// CHECK-LABEL: func @flat(
// CHECK: exclusion
// CHECK: return
func.func @flat(%flat: tensor<32xf32>) -> tensor<8x4xf32> {
  %e = tensor.empty() : tensor<8x4xf32>
  %x = tensor.expand_shape %flat [[0, 1]] output_shape [8, 4] : tensor<32xf32> into tensor<8x4xf32>
  %w = linalg.exp ins(%x : tensor<8x4xf32>) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%w, %w, %x : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>)
      outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// The same, with something between the rows.
// CHECK-LABEL: func @flat_with_gaps(
// CHECK: exclusion
// CHECK: return
func.func @flat_with_gaps(%flat: tensor<48xf32>) -> tensor<8x4xf32> {
  %e = tensor.empty() : tensor<8x4xf32>
  %all = tensor.expand_shape %flat [[0, 1]] output_shape [8, 6] : tensor<48xf32> into tensor<8x6xf32>
  %x = tensor.extract_slice %all[0, 0] [8, 4] [1, 1] : tensor<8x6xf32> to tensor<8x4xf32>
  %again = tensor.expand_shape %flat [[0, 1]] output_shape [8, 6] : tensor<48xf32> into tensor<8x6xf32>
  %v = tensor.extract_slice %again[0, 2] [8, 4] [1, 1] : tensor<8x6xf32> to tensor<8x4xf32>
  %w = linalg.exp ins(%x : tensor<8x4xf32>) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%w, %w, %v : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>)
      outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// Two convolutions: what they read is of several tokens.
// REMARK: remark: attention not made exclusive: query comes from a convolution of argument 0, value from another such operation
// CHECK-LABEL: func @windows(
// CHECK-NOT: exclusion
// CHECK: return
func.func @windows(%x: tensor<10x4xf32>, %first: tensor<3xf32>, %second: tensor<3xf32>) -> tensor<8x4xf32> {
  %e = tensor.empty() : tensor<8x4xf32>
  %zero = arith.constant 0.0 : f32
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(i, e, w) -> (i * 1 + w, e)>, affine_map<(i, e, w) -> (w)>, affine_map<(i, e, w) -> (i, e)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %first : tensor<10x4xf32>, tensor<3xf32>) outs(%zeros : tensor<8x4xf32>) {
  ^bb0(%t: f32, %u: f32, %o: f32):
    %m = arith.mulf %t, %u : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<8x4xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(i, e, w) -> (i * 1 + w, e)>, affine_map<(i, e, w) -> (w)>, affine_map<(i, e, w) -> (i, e)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %second : tensor<10x4xf32>, tensor<3xf32>) outs(%zeros : tensor<8x4xf32>) {
  ^bb0(%t: f32, %u: f32, %o: f32):
    %m = arith.mulf %t, %u : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<8x4xf32>
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%a, %b, %b : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>)
      outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// One element is in two windows.
// REMARK: remark: attention not made exclusive: query comes from a convolution of argument 0, value from another such operation
// CHECK-LABEL: func @windows_that_touch(
// CHECK-NOT: exclusion
// CHECK: return
func.func @windows_that_touch(%x: tensor<25x4xf32>, %first: tensor<4xf32>, %second: tensor<4xf32>) -> tensor<8x4xf32> {
  %e = tensor.empty() : tensor<8x4xf32>
  %zero = arith.constant 0.0 : f32
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(i, e, w) -> (i * 3 + w, e)>, affine_map<(i, e, w) -> (w)>, affine_map<(i, e, w) -> (i, e)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %first : tensor<25x4xf32>, tensor<4xf32>) outs(%zeros : tensor<8x4xf32>) {
  ^bb0(%t: f32, %u: f32, %o: f32):
    %m = arith.mulf %t, %u : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<8x4xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(i, e, w) -> (i * 3 + w, e)>, affine_map<(i, e, w) -> (w)>, affine_map<(i, e, w) -> (i, e)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %second : tensor<25x4xf32>, tensor<4xf32>) outs(%zeros : tensor<8x4xf32>) {
  ^bb0(%t: f32, %u: f32, %o: f32):
    %m = arith.mulf %t, %u : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<8x4xf32>
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%a, %b, %b : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>)
      outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// None is: a token is a patch.
// CHECK-LABEL: func @patches(
// CHECK: exclusion
// CHECK: return
func.func @patches(%x: tensor<24x4xf32>, %first: tensor<3xf32>, %second: tensor<3xf32>) -> tensor<8x4xf32> {
  %e = tensor.empty() : tensor<8x4xf32>
  %zero = arith.constant 0.0 : f32
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(i, e, w) -> (i * 3 + w, e)>, affine_map<(i, e, w) -> (w)>, affine_map<(i, e, w) -> (i, e)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %first : tensor<24x4xf32>, tensor<3xf32>) outs(%zeros : tensor<8x4xf32>) {
  ^bb0(%t: f32, %u: f32, %o: f32):
    %m = arith.mulf %t, %u : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<8x4xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(i, e, w) -> (i * 3 + w, e)>, affine_map<(i, e, w) -> (w)>, affine_map<(i, e, w) -> (i, e)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %second : tensor<24x4xf32>, tensor<3xf32>) outs(%zeros : tensor<8x4xf32>) {
  ^bb0(%t: f32, %u: f32, %o: f32):
    %m = arith.mulf %t, %u : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<8x4xf32>
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%a, %b, %b : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>)
      outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// Nor where there is something between the patches.
// CHECK-LABEL: func @patches_apart(
// CHECK: exclusion
// CHECK: return
func.func @patches_apart(%x: tensor<31x4xf32>, %first: tensor<3xf32>, %second: tensor<3xf32>) -> tensor<8x4xf32> {
  %e = tensor.empty() : tensor<8x4xf32>
  %zero = arith.constant 0.0 : f32
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(i, e, w) -> (i * 4 + w, e)>, affine_map<(i, e, w) -> (w)>, affine_map<(i, e, w) -> (i, e)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %first : tensor<31x4xf32>, tensor<3xf32>) outs(%zeros : tensor<8x4xf32>) {
  ^bb0(%t: f32, %u: f32, %o: f32):
    %m = arith.mulf %t, %u : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<8x4xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(i, e, w) -> (i * 4 + w, e)>, affine_map<(i, e, w) -> (w)>, affine_map<(i, e, w) -> (i, e)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %second : tensor<31x4xf32>, tensor<3xf32>) outs(%zeros : tensor<8x4xf32>) {
  ^bb0(%t: f32, %u: f32, %o: f32):
    %m = arith.mulf %t, %u : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<8x4xf32>
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%a, %b, %b : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>)
      outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// A row in two parts.
// CHECK-LABEL: func @rows_of_two_digits(
// CHECK: exclusion
// CHECK: return
func.func @rows_of_two_digits(%grid: tensor<2x4x4xf32>) -> tensor<8x4xf32> {
  %e = tensor.empty() : tensor<8x4xf32>
  %x = tensor.collapse_shape %grid [[0, 1], [2]] : tensor<2x4x4xf32> into tensor<8x4xf32>
  %w = linalg.exp ins(%x : tensor<8x4xf32>) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%w, %w, %x : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>)
      outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// Sequences in pairs, and values of the other one of the pair.
// REMARK: remark: attention not made exclusive: query and value read different rows of argument 0
// CHECK-LABEL: func @other_sequence(
// CHECK-NOT: exclusion
// CHECK: return
func.func @other_sequence(%pairs: tensor<2x2x8x4xf32>) -> tensor<4x8x4xf32> {
  %e = tensor.empty() : tensor<4x8x4xf32>
  %ep = tensor.empty() : tensor<2x2x8x4xf32>
  %swapped = linalg.generic {indexing_maps = [affine_map<(a, b, i, e) -> (a, b, i, e)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%ep : tensor<2x2x8x4xf32>) {
  ^bb0(%o: f32):
    %a = linalg.index 0 : index
    %b = linalg.index 1 : index
    %i = linalg.index 2 : index
    %c = linalg.index 3 : index
    %one = arith.constant 1 : index
    %other = arith.subi %one, %b : index
    %t = tensor.extract %pairs[%a, %other, %i, %c] : tensor<2x2x8x4xf32>
    linalg.yield %t : f32
  } -> tensor<2x2x8x4xf32>
  %x = tensor.collapse_shape %pairs [[0, 1], [2], [3]] : tensor<2x2x8x4xf32> into tensor<4x8x4xf32>
  %v = tensor.collapse_shape %swapped [[0, 1], [2], [3]] : tensor<2x2x8x4xf32> into tensor<4x8x4xf32>
  %y = xsa.attention {indexing_maps = [affine_map<(b, m, k1, k2, n) -> (b, m, k1)>, affine_map<(b, m, k1, k2, n) -> (b, k2, k1)>, affine_map<(b, m, k1, k2, n) -> (b, k2, n)>, affine_map<(b, m, k1, k2, n) -> (b, m, n)>]}
      ins(%x, %x, %v : tensor<4x8x4xf32>, tensor<4x8x4xf32>, tensor<4x8x4xf32>)
      outs(%e : tensor<4x8x4xf32>) -> tensor<4x8x4xf32>
  return %y : tensor<4x8x4xf32>
}

// Rows are fetched by a list of their numbers.
// CHECK-LABEL: func @listed(
// CHECK: exclusion
// CHECK: return
func.func @listed(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %e = tensor.empty() : tensor<8x4xf32>
  %list = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7]> : tensor<8xi64>
  %w = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]} ins(%list : tensor<8xi64>) outs(%e : tensor<8x4xf32>) {
  ^bb0(%n: i64, %o: f32):
    %at = arith.index_cast %n : i64 to index
    %c = linalg.index 1 : index
    %a = tensor.extract %x[%at, %c] : tensor<8x4xf32>
    linalg.yield %a : f32
  } -> tensor<8x4xf32>
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%x, %w, %w : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>)
      outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// Two tables that are looked up by the same token.
// CHECK-LABEL: func @two_tables(
// CHECK: exclusion
// CHECK: return
func.func @two_tables(%ids: tensor<8xi64>) -> tensor<8x4xf32> {
  %e = tensor.empty() : tensor<8x4xf32>
  %first = arith.constant dense_resource<first> : tensor<50x4xf32>
  %second = arith.constant dense_resource<second> : tensor<50x4xf32>
  %a = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]} ins(%ids : tensor<8xi64>) outs(%e : tensor<8x4xf32>) {
  ^bb0(%n: i64, %o: f32):
    %at = arith.index_cast %n : i64 to index
    %c = linalg.index 1 : index
    %t = tensor.extract %first[%at, %c] : tensor<50x4xf32>
    linalg.yield %t : f32
  } -> tensor<8x4xf32>
  %b = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]} ins(%ids : tensor<8xi64>) outs(%e : tensor<8x4xf32>) {
  ^bb0(%n: i64, %o: f32):
    %at = arith.index_cast %n : i64 to index
    %c = linalg.index 1 : index
    %t = tensor.extract %second[%at, %c] : tensor<50x4xf32>
    linalg.yield %t : f32
  } -> tensor<8x4xf32>
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%a, %b, %b : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>)
      outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// What an earlier exclusion took out is in its output.
// REMARK: remark: attention not made exclusive: value rows are not at their own position in argument 1
// CHECK-LABEL: func @other_own_value(
// CHECK: xsa.attention {exclusion = #xsa.exclusion<{{.*}}
// CHECK-NOT: exclusion
// CHECK: return
func.func @other_own_value(%x: tensor<8x4xf32>, %memory: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %e = tensor.empty() : tensor<8x4xf32>
  %own = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<8x4xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %c = linalg.index 1 : index
    %last = arith.constant 7 : index
    %at = arith.subi %last, %i : index
    %a = tensor.extract %memory[%at, %c] : tensor<8x4xf32>
    linalg.yield %a : f32
  } -> tensor<8x4xf32>
  %z = xsa.attention {exclusion = #xsa.exclusion<l2_clamp, eps = 1.0e-12>, indexing_maps = [#q, #k, #v, #o, #o]}
      ins(%x, %x, %x : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>)
      self_value(%own : tensor<8x4xf32>)
      outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%x, %x, %z : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>)
      outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// REMARK: remark: attention not made exclusive: value rows are not at their own position in argument 1
// CHECK-LABEL: func @other_excluded(
// CHECK: xsa.exclude {exclusion = #xsa.exclusion<{{.*}}
// CHECK-NOT: exclusion
// CHECK: return
func.func @other_excluded(%x: tensor<8x4xf32>, %memory: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %e = tensor.empty() : tensor<8x4xf32>
  %own = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<8x4xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %c = linalg.index 1 : index
    %last = arith.constant 7 : index
    %at = arith.subi %last, %i : index
    %a = tensor.extract %memory[%at, %c] : tensor<8x4xf32>
    linalg.yield %a : f32
  } -> tensor<8x4xf32>
  %z = xsa.exclude {exclusion = #xsa.exclusion<l2_clamp, eps = 1.0e-12>, indexing_maps = [#id, #id, #id]}
      ins(%x, %own : tensor<8x4xf32>, tensor<8x4xf32>)
      outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%x, %x, %z : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>)
      outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// The log-sum-exp of a row is that row's.
// CHECK-LABEL: func @own_log_sum(
// CHECK: exclusion
// CHECK: return
func.func @own_log_sum(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %e = tensor.empty() : tensor<8x4xf32>
  %el = tensor.empty() : tensor<8xf32>
  %z, %lse = xsa.attention {indexing_maps = [#q, #k, #v, #o, #l]}
      ins(%x, %x, %x : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>)
      outs(%e : tensor<8x4xf32>) lse(%el : tensor<8xf32>) -> tensor<8x4xf32>, tensor<8xf32>
  %w = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x4xf32>) outs(%e : tensor<8x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 0 : index
    %last = arith.constant 7 : index
    %other = arith.subi %last, %i : index
    %b = tensor.extract %lse[%i] : tensor<8xf32>
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<8x4xf32>
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%x, %x, %w : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>)
      outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// REMARK: remark: attention not made exclusive: value rows are not at their own position in the output of another attention
// CHECK-LABEL: func @other_log_sum(
// CHECK: xsa.attention {exclusion = #xsa.exclusion<{{.*}}
// CHECK: xsa.attention {indexing_maps
// CHECK: return
func.func @other_log_sum(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %e = tensor.empty() : tensor<8x4xf32>
  %el = tensor.empty() : tensor<8xf32>
  %z, %lse = xsa.attention {indexing_maps = [#q, #k, #v, #o, #l]}
      ins(%x, %x, %x : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>)
      outs(%e : tensor<8x4xf32>) lse(%el : tensor<8xf32>) -> tensor<8x4xf32>, tensor<8xf32>
  %w = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x4xf32>) outs(%e : tensor<8x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 0 : index
    %last = arith.constant 7 : index
    %other = arith.subi %last, %i : index
    %b = tensor.extract %lse[%other] : tensor<8xf32>
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<8x4xf32>
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%x, %x, %w : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>)
      outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// Rows at positions that are counted in a tensor, of which nobody knows the length.
// CHECK-LABEL: func @gathered_in_place(
// CHECK: exclusion
// CHECK: return
func.func @gathered_in_place(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %t = tensor.dim %x, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%t) : tensor<?x4xf32>
  %ep = tensor.empty(%t) : tensor<?xi64>
  %positions = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%ep : tensor<?xi64>) {
  ^bb0(%o: i64):
    %i = linalg.index 0 : index
    %p = arith.index_cast %i : index to i64
    linalg.yield %p : i64
  } -> tensor<?xi64>
  %w = linalg.exp ins(%x : tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %v = linalg.generic {indexing_maps = [affine_map<(i, e) -> (i)>, #id], iterator_types = ["parallel", "parallel"]} ins(%positions : tensor<?xi64>) outs(%e : tensor<?x4xf32>) {
  ^bb0(%a: i64, %o: f32):
    %i = arith.index_cast %a : i64 to index
    %j = linalg.index 1 : index
    %b = tensor.extract %w[%i, %j] : tensor<?x4xf32>
    linalg.yield %b : f32
  } -> tensor<?x4xf32>
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%w, %v, %v : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>)
      outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// Two sequences that have the same learned positions are two.
// REMARK: remark: attention not made exclusive: query comes from argument 0, value from argument 1
// CHECK-LABEL: func @same_positions(
// CHECK-NOT: exclusion
// CHECK: return
func.func @same_positions(%x: tensor<8x4xf32>, %other: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %e = tensor.empty() : tensor<8x4xf32>
  %positions = arith.constant dense<[[0.1, 0.2, 0.3, 0.4], [0.5, 0.6, 0.7, 0.8], [0.1, 0.3, 0.5, 0.7], [0.2, 0.4, 0.6, 0.8], [0.9, 0.2, 0.3, 0.4], [0.8, 0.6, 0.7, 0.8], [0.7, 0.3, 0.5, 0.7], [0.6, 0.4, 0.6, 0.8]]> : tensor<8x4xf32>
  %q = linalg.add ins(%x, %positions : tensor<8x4xf32>, tensor<8x4xf32>) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  %v = linalg.add ins(%other, %positions : tensor<8x4xf32>, tensor<8x4xf32>) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %v, %v : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>)
      outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// What is added to the values is of every other token.
// REMARK: remark: attention not made exclusive: value rows are not at their own position in argument 1
// CHECK-LABEL: func @every_other_row(
// CHECK-NOT: exclusion
// CHECK: return
func.func @every_other_row(%x: tensor<8x4xf32>, %other: tensor<16x4xf32>) -> tensor<8x4xf32> {
  %e = tensor.empty() : tensor<8x4xf32>
  %half = tensor.extract_slice %other[0, 0] [8, 4] [2, 1] : tensor<16x4xf32> to tensor<8x4xf32>
  %v = linalg.add ins(%x, %half : tensor<8x4xf32>, tensor<8x4xf32>) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%x, %x, %v : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>)
      outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// Earlier tokens that are looked up in a table differ by sequence as their numbers do.
// CHECK-LABEL: func @earlier_tokens_looked_up(
// CHECK: exclusion
// CHECK: return
func.func @earlier_tokens_looked_up(%x: tensor<2x8x4xf32>, %ids: tensor<2x2xi64>) -> tensor<2x8x4xf32> {
  %e = tensor.empty() : tensor<2x8x4xf32>
  %ee = tensor.empty() : tensor<2x2x4xf32>
  %table = arith.constant dense<[[0.1, 0.2, 0.3, 0.4], [0.5, 0.6, 0.7, 0.8], [0.1, 0.3, 0.5, 0.7]]> : tensor<3x4xf32>
  %w = linalg.exp ins(%x : tensor<2x8x4xf32>) outs(%e : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  %earlier = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i)>, affine_map<(b, i, j) -> (b, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%ids : tensor<2x2xi64>) outs(%ee : tensor<2x2x4xf32>) {
  ^bb0(%a: i64, %o: f32):
    %i = arith.index_cast %a : i64 to index
    %j = linalg.index 2 : index
    %t = tensor.extract %table[%i, %j] : tensor<3x4xf32>
    linalg.yield %t : f32
  } -> tensor<2x2x4xf32>
  %all = tensor.concat dim(1) %earlier, %w : (tensor<2x2x4xf32>, tensor<2x8x4xf32>) -> tensor<2x10x4xf32>
  %y = xsa.attention {indexing_maps = [affine_map<(b, m, k1, k2, n) -> (b, m, k1)>, affine_map<(b, m, k1, k2, n) -> (b, k2, k1)>, affine_map<(b, m, k1, k2, n) -> (b, k2, n)>, affine_map<(b, m, k1, k2, n) -> (b, m, n)>]}
      ins(%w, %all, %all : tensor<2x8x4xf32>, tensor<2x10x4xf32>, tensor<2x10x4xf32>)
      outs(%e : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %y : tensor<2x8x4xf32>
}

// One sequence with learned rows before it: that heads have positions of their own makes no
// sequences of them.
// REMARK: remark: attention not made exclusive: the first value rows are the same in every sequence (a learned prefix)
// CHECK-LABEL: func @prefix_of_one_sequence(
// CHECK-NOT: exclusion
// CHECK: return
func.func @prefix_of_one_sequence(%x: tensor<3x4xf32>) -> tensor<2x3x4xf32> {
  %e = tensor.empty() : tensor<3x4xf32>
  %eq = tensor.empty() : tensor<2x3x4xf32>
  %positions = arith.constant dense<[[[0.1, 0.2, 0.3, 0.4], [0.5, 0.6, 0.7, 0.8], [0.1, 0.3, 0.5, 0.7]], [[0.2, 0.4, 0.6, 0.8], [0.9, 0.2, 0.3, 0.4], [0.8, 0.6, 0.7, 0.8]]]> : tensor<2x3x4xf32>
  %prefix = arith.constant dense<[[0.7, 0.3, 0.5, 0.7], [0.6, 0.4, 0.6, 0.8]]> : tensor<2x4xf32>
  %w = linalg.exp ins(%x : tensor<3x4xf32>) outs(%e : tensor<3x4xf32>) -> tensor<3x4xf32>
  %q = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (i, j)>, affine_map<(h, i, j) -> (h, i, j)>, affine_map<(h, i, j) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%w, %positions : tensor<3x4xf32>, tensor<2x3x4xf32>) outs(%eq : tensor<2x3x4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.addf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<2x3x4xf32>
  %all = tensor.concat dim(0) %prefix, %w : (tensor<2x4xf32>, tensor<3x4xf32>) -> tensor<5x4xf32>
  %y = xsa.attention {indexing_maps = [affine_map<(h, m, k1, k2, n) -> (h, m, k1)>, affine_map<(h, m, k1, k2, n) -> (k2, k1)>, affine_map<(h, m, k1, k2, n) -> (k2, n)>, affine_map<(h, m, k1, k2, n) -> (h, m, n)>]}
      ins(%q, %all, %all : tensor<2x3x4xf32>, tensor<5x4xf32>, tensor<5x4xf32>)
      outs(%eq : tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}

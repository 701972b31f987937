// RUN: xsa-opt %s --convert-attention-to-xsa 2>/dev/null | FileCheck %s

// The sum below a softmax, computed in parts: sums of partial sums, in all spellings
// that leave no key out and count none twice.

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// e.unflatten(-1, (4, 2)).sum(-1).sum(-1)
// CHECK-LABEL: func @of_chunks(
// CHECK: xsa.attention {exclusion
// CHECK-NOT: math.exp
// CHECK: return
func.func @of_chunks(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %e = call @exponentials(%x) : (tensor<8x4xf32>) -> tensor<8x8xf32>
  %c = tensor.expand_shape %e [[0], [1, 2]] output_shape [8, 4, 2] : tensor<8x8xf32> into tensor<8x4x2xf32>
  %z1 = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<8x4xf32>
  %i1 = linalg.fill ins(%z1 : f32) outs(%e1 : tensor<8x4xf32>) -> tensor<8x4xf32>
  %p = linalg.reduce { arith.addf } ins(%c : tensor<8x4x2xf32>) outs(%i1 : tensor<8x4xf32>) dimensions = [2]
  %z2 = arith.constant 0.0 : f32
  %e2 = tensor.empty() : tensor<8xf32>
  %i2 = linalg.fill ins(%z2 : f32) outs(%e2 : tensor<8xf32>) -> tensor<8xf32>
  %l = linalg.reduce { arith.addf } ins(%p : tensor<8x4xf32>) outs(%i2 : tensor<8xf32>) dimensions = [1]
  %y = call @rest(%e, %l, %x) : (tensor<8x8xf32>, tensor<8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// e.unflatten(-1, (2, 4)).sum(-2).sum(-1)
// CHECK-LABEL: func @of_every_fourth(
// CHECK: xsa.attention {exclusion
// CHECK-NOT: math.exp
// CHECK: return
func.func @of_every_fourth(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %e = call @exponentials(%x) : (tensor<8x4xf32>) -> tensor<8x8xf32>
  %c = tensor.expand_shape %e [[0], [1, 2]] output_shape [8, 2, 4] : tensor<8x8xf32> into tensor<8x2x4xf32>
  %z3 = arith.constant 0.0 : f32
  %e3 = tensor.empty() : tensor<8x4xf32>
  %i3 = linalg.fill ins(%z3 : f32) outs(%e3 : tensor<8x4xf32>) -> tensor<8x4xf32>
  %p = linalg.reduce { arith.addf } ins(%c : tensor<8x2x4xf32>) outs(%i3 : tensor<8x4xf32>) dimensions = [1]
  %z4 = arith.constant 0.0 : f32
  %e4 = tensor.empty() : tensor<8xf32>
  %i4 = linalg.fill ins(%z4 : f32) outs(%e4 : tensor<8xf32>) -> tensor<8xf32>
  %l = linalg.reduce { arith.addf } ins(%p : tensor<8x4xf32>) outs(%i4 : tensor<8xf32>) dimensions = [1]
  %y = call @rest(%e, %l, %x) : (tensor<8x8xf32>, tensor<8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// e.unflatten(-1, (2, 4)).sum((-2, -1))
// CHECK-LABEL: func @of_both_at_once(
// CHECK: xsa.attention {exclusion
// CHECK-NOT: math.exp
// CHECK: return
func.func @of_both_at_once(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %e = call @exponentials(%x) : (tensor<8x4xf32>) -> tensor<8x8xf32>
  %c = tensor.expand_shape %e [[0], [1, 2]] output_shape [8, 2, 4] : tensor<8x8xf32> into tensor<8x2x4xf32>
  %z5 = arith.constant 0.0 : f32
  %e5 = tensor.empty() : tensor<8xf32>
  %i5 = linalg.fill ins(%z5 : f32) outs(%e5 : tensor<8xf32>) -> tensor<8xf32>
  %l = linalg.reduce { arith.addf } ins(%c : tensor<8x2x4xf32>) outs(%i5 : tensor<8xf32>) dimensions = [1, 2]
  %y = call @rest(%e, %l, %x) : (tensor<8x8xf32>, tensor<8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// e.unflatten(-1, (2, 2, 2)).sum(-2).sum(-1).sum(-1)
// CHECK-LABEL: func @in_three_steps(
// CHECK: xsa.attention {exclusion
// CHECK-NOT: math.exp
// CHECK: return
func.func @in_three_steps(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %e = call @exponentials(%x) : (tensor<8x4xf32>) -> tensor<8x8xf32>
  %c = tensor.expand_shape %e [[0], [1, 2, 3]] output_shape [8, 2, 2, 2] : tensor<8x8xf32> into tensor<8x2x2x2xf32>
  %z6 = arith.constant 0.0 : f32
  %e6 = tensor.empty() : tensor<8x2x2xf32>
  %i6 = linalg.fill ins(%z6 : f32) outs(%e6 : tensor<8x2x2xf32>) -> tensor<8x2x2xf32>
  %p = linalg.reduce { arith.addf } ins(%c : tensor<8x2x2x2xf32>) outs(%i6 : tensor<8x2x2xf32>) dimensions = [2]
  %z7 = arith.constant 0.0 : f32
  %e7 = tensor.empty() : tensor<8x2xf32>
  %i7 = linalg.fill ins(%z7 : f32) outs(%e7 : tensor<8x2xf32>) -> tensor<8x2xf32>
  %o = linalg.reduce { arith.addf } ins(%p : tensor<8x2x2xf32>) outs(%i7 : tensor<8x2xf32>) dimensions = [2]
  %z8 = arith.constant 0.0 : f32
  %e8 = tensor.empty() : tensor<8xf32>
  %i8 = linalg.fill ins(%z8 : f32) outs(%e8 : tensor<8xf32>) -> tensor<8xf32>
  %l = linalg.reduce { arith.addf } ins(%o : tensor<8x2xf32>) outs(%i8 : tensor<8xf32>) dimensions = [1]
  %y = call @rest(%e, %l, %x) : (tensor<8x8xf32>, tensor<8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// e[:, :4].sum(-1) + e[:, 4:].sum(-1)
// CHECK-LABEL: func @of_halves(
// CHECK: xsa.attention {exclusion
// CHECK-NOT: math.exp
// CHECK: return
func.func @of_halves(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %e = call @exponentials(%x) : (tensor<8x4xf32>) -> tensor<8x8xf32>
  %a = tensor.extract_slice %e[0, 0] [8, 4] [1, 1] : tensor<8x8xf32> to tensor<8x4xf32>
  %b = tensor.extract_slice %e[0, 4] [8, 4] [1, 1] : tensor<8x8xf32> to tensor<8x4xf32>
  %z9 = arith.constant 0.0 : f32
  %e9 = tensor.empty() : tensor<8xf32>
  %i9 = linalg.fill ins(%z9 : f32) outs(%e9 : tensor<8xf32>) -> tensor<8xf32>
  %p = linalg.reduce { arith.addf } ins(%a : tensor<8x4xf32>) outs(%i9 : tensor<8xf32>) dimensions = [1]
  %z10 = arith.constant 0.0 : f32
  %e10 = tensor.empty() : tensor<8xf32>
  %i10 = linalg.fill ins(%z10 : f32) outs(%e10 : tensor<8xf32>) -> tensor<8xf32>
  %o = linalg.reduce { arith.addf } ins(%b : tensor<8x4xf32>) outs(%i10 : tensor<8xf32>) dimensions = [1]
  %a11 = tensor.empty() : tensor<8xf32>
  %l = linalg.add ins(%p, %o : tensor<8xf32>, tensor<8xf32>) outs(%a11 : tensor<8xf32>) -> tensor<8xf32>
  %y = call @rest(%e, %l, %x) : (tensor<8x8xf32>, tensor<8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// e[:, 1::2].sum(-1) + e[:, ::2].sum(-1): in no order
// CHECK-LABEL: func @of_even_and_odd(
// CHECK: xsa.attention {exclusion
// CHECK-NOT: math.exp
// CHECK: return
func.func @of_even_and_odd(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %e = call @exponentials(%x) : (tensor<8x4xf32>) -> tensor<8x8xf32>
  %a = tensor.extract_slice %e[0, 1] [8, 4] [1, 2] : tensor<8x8xf32> to tensor<8x4xf32>
  %b = tensor.extract_slice %e[0, 0] [8, 4] [1, 2] : tensor<8x8xf32> to tensor<8x4xf32>
  %z12 = arith.constant 0.0 : f32
  %e12 = tensor.empty() : tensor<8xf32>
  %i12 = linalg.fill ins(%z12 : f32) outs(%e12 : tensor<8xf32>) -> tensor<8xf32>
  %p = linalg.reduce { arith.addf } ins(%a : tensor<8x4xf32>) outs(%i12 : tensor<8xf32>) dimensions = [1]
  %z13 = arith.constant 0.0 : f32
  %e13 = tensor.empty() : tensor<8xf32>
  %i13 = linalg.fill ins(%z13 : f32) outs(%e13 : tensor<8xf32>) -> tensor<8xf32>
  %o = linalg.reduce { arith.addf } ins(%b : tensor<8x4xf32>) outs(%i13 : tensor<8xf32>) dimensions = [1]
  %a14 = tensor.empty() : tensor<8xf32>
  %l = linalg.add ins(%p, %o : tensor<8xf32>, tensor<8xf32>) outs(%a14 : tensor<8xf32>) -> tensor<8xf32>
  %y = call @rest(%e, %l, %x) : (tensor<8x8xf32>, tensor<8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// torch.stack([h.sum(-1) for h in e.chunk(2, -1)], -1).sum(-1)
// CHECK-LABEL: func @stacked(
// CHECK: xsa.attention {exclusion
// CHECK-NOT: math.exp
// CHECK: return
func.func @stacked(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %e = call @exponentials(%x) : (tensor<8x4xf32>) -> tensor<8x8xf32>
  %a = tensor.extract_slice %e[0, 0] [8, 4] [1, 1] : tensor<8x8xf32> to tensor<8x4xf32>
  %b = tensor.extract_slice %e[0, 4] [8, 4] [1, 1] : tensor<8x8xf32> to tensor<8x4xf32>
  %z15 = arith.constant 0.0 : f32
  %e15 = tensor.empty() : tensor<8xf32>
  %i15 = linalg.fill ins(%z15 : f32) outs(%e15 : tensor<8xf32>) -> tensor<8xf32>
  %p = linalg.reduce { arith.addf } ins(%a : tensor<8x4xf32>) outs(%i15 : tensor<8xf32>) dimensions = [1]
  %z16 = arith.constant 0.0 : f32
  %e16 = tensor.empty() : tensor<8xf32>
  %i16 = linalg.fill ins(%z16 : f32) outs(%e16 : tensor<8xf32>) -> tensor<8xf32>
  %o = linalg.reduce { arith.addf } ins(%b : tensor<8x4xf32>) outs(%i16 : tensor<8xf32>) dimensions = [1]
  %p1 = tensor.expand_shape %p [[0, 1]] output_shape [8, 1] : tensor<8xf32> into tensor<8x1xf32>
  %o1 = tensor.expand_shape %o [[0, 1]] output_shape [8, 1] : tensor<8xf32> into tensor<8x1xf32>
  %stacked = tensor.concat dim(1) %p1, %o1 : (tensor<8x1xf32>, tensor<8x1xf32>) -> tensor<8x2xf32>
  %z17 = arith.constant 0.0 : f32
  %e17 = tensor.empty() : tensor<8xf32>
  %i17 = linalg.fill ins(%z17 : f32) outs(%e17 : tensor<8xf32>) -> tensor<8xf32>
  %l = linalg.reduce { arith.addf } ins(%stacked : tensor<8x2xf32>) outs(%i17 : tensor<8xf32>) dimensions = [1]
  %y = call @rest(%e, %l, %x) : (tensor<8x8xf32>, tensor<8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// e.flip(-1).unflatten(-1, (4, 2)).sum(-1).sum(-1)
// CHECK-LABEL: func @of_reversed_chunks(
// CHECK: xsa.attention {exclusion
// CHECK-NOT: math.exp
// CHECK: return
func.func @of_reversed_chunks(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %e = call @exponentials(%x) : (tensor<8x4xf32>) -> tensor<8x8xf32>
  %ef = tensor.empty() : tensor<8x8xf32>
  %f = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%ef : tensor<8x8xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %last = arith.constant 7 : index
    %at = arith.subi %last, %j : index
    %v = tensor.extract %e[%i, %at] : tensor<8x8xf32>
    linalg.yield %v : f32
  } -> tensor<8x8xf32>
  %c = tensor.expand_shape %f [[0], [1, 2]] output_shape [8, 4, 2] : tensor<8x8xf32> into tensor<8x4x2xf32>
  %z18 = arith.constant 0.0 : f32
  %e18 = tensor.empty() : tensor<8x4xf32>
  %i18 = linalg.fill ins(%z18 : f32) outs(%e18 : tensor<8x4xf32>) -> tensor<8x4xf32>
  %p = linalg.reduce { arith.addf } ins(%c : tensor<8x4x2xf32>) outs(%i18 : tensor<8x4xf32>) dimensions = [2]
  %z19 = arith.constant 0.0 : f32
  %e19 = tensor.empty() : tensor<8xf32>
  %i19 = linalg.fill ins(%z19 : f32) outs(%e19 : tensor<8xf32>) -> tensor<8xf32>
  %l = linalg.reduce { arith.addf } ins(%p : tensor<8x4xf32>) outs(%i19 : tensor<8xf32>) dimensions = [1]
  %y = call @rest(%e, %l, %x) : (tensor<8x8xf32>, tensor<8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// e.flip(-1).cumsum(-1)[:, -1]
// CHECK-LABEL: func @end_of_reversed_running_sum(
// CHECK: xsa.attention {exclusion
// CHECK-NOT: math.exp
// CHECK: return
func.func @end_of_reversed_running_sum(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %e = call @exponentials(%x) : (tensor<8x4xf32>) -> tensor<8x8xf32>
  %ef = tensor.empty() : tensor<8x8xf32>
  %f = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%ef : tensor<8x8xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %last = arith.constant 7 : index
    %at = arith.subi %last, %j : index
    %v = tensor.extract %e[%i, %at] : tensor<8x8xf32>
    linalg.yield %v : f32
  } -> tensor<8x8xf32>
  %z20 = arith.constant 0.0 : f32
  %e20 = tensor.empty() : tensor<8xf32>
  %i20 = linalg.fill ins(%z20 : f32) outs(%e20 : tensor<8xf32>) -> tensor<8xf32>
  %es = tensor.empty() : tensor<8x8xf32>
  %running, %all = tm_tensor.scan dimension(1) inclusive(true) ins(%f : tensor<8x8xf32>) outs(%es, %i20 : tensor<8x8xf32>, tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    tm_tensor.yield %sum : f32
  } -> tensor<8x8xf32>, tensor<8xf32>
  %l = tensor.extract_slice %running[0, 7] [8, 1] [1, 1] : tensor<8x8xf32> to tensor<8xf32>
  %y = call @rest(%e, %l, %x) : (tensor<8x8xf32>, tensor<8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// means of means, times the number of keys
// CHECK-LABEL: func @means(
// CHECK: xsa.attention {exclusion
// CHECK-NOT: math.exp
// CHECK: return
func.func @means(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %e = call @exponentials(%x) : (tensor<8x4xf32>) -> tensor<8x8xf32>
  %c = tensor.expand_shape %e [[0], [1, 2]] output_shape [8, 4, 2] : tensor<8x8xf32> into tensor<8x4x2xf32>
  %z21 = arith.constant 0.0 : f32
  %e21 = tensor.empty() : tensor<8x4xf32>
  %i21 = linalg.fill ins(%z21 : f32) outs(%e21 : tensor<8x4xf32>) -> tensor<8x4xf32>
  %p = linalg.reduce { arith.addf } ins(%c : tensor<8x4x2xf32>) outs(%i21 : tensor<8x4xf32>) dimensions = [2]
  %em = tensor.empty() : tensor<8x4xf32>
  %two = arith.constant dense<2.0> : tensor<8x4xf32>
  %m = linalg.div ins(%p, %two : tensor<8x4xf32>, tensor<8x4xf32>) outs(%em : tensor<8x4xf32>) -> tensor<8x4xf32>
  %z22 = arith.constant 0.0 : f32
  %e22 = tensor.empty() : tensor<8xf32>
  %i22 = linalg.fill ins(%z22 : f32) outs(%e22 : tensor<8xf32>) -> tensor<8xf32>
  %o = linalg.reduce { arith.addf } ins(%m : tensor<8x4xf32>) outs(%i22 : tensor<8xf32>) dimensions = [1]
  %eo = tensor.empty() : tensor<8xf32>
  %factor = arith.constant dense<2.0> : tensor<8xf32>
  %l = linalg.mul ins(%o, %factor : tensor<8xf32>, tensor<8xf32>) outs(%eo : tensor<8xf32>) -> tensor<8xf32>
  %y = call @rest(%e, %l, %x) : (tensor<8x8xf32>, tensor<8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// A key of each chunk is left out.
// CHECK-LABEL: func @a_key_is_missing(
// CHECK-NOT: xsa.attention
// CHECK: return
func.func @a_key_is_missing(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %e = call @exponentials(%x) : (tensor<8x4xf32>) -> tensor<8x8xf32>
  %c = tensor.expand_shape %e [[0], [1, 2]] output_shape [8, 2, 4] : tensor<8x8xf32> into tensor<8x2x4xf32>
  %s = tensor.extract_slice %c[0, 0, 0] [8, 2, 3] [1, 1, 1] : tensor<8x2x4xf32> to tensor<8x2x3xf32>
  %z23 = arith.constant 0.0 : f32
  %e23 = tensor.empty() : tensor<8x2xf32>
  %i23 = linalg.fill ins(%z23 : f32) outs(%e23 : tensor<8x2xf32>) -> tensor<8x2xf32>
  %p = linalg.reduce { arith.addf } ins(%s : tensor<8x2x3xf32>) outs(%i23 : tensor<8x2xf32>) dimensions = [2]
  %z24 = arith.constant 0.0 : f32
  %e24 = tensor.empty() : tensor<8xf32>
  %i24 = linalg.fill ins(%z24 : f32) outs(%e24 : tensor<8xf32>) -> tensor<8xf32>
  %l = linalg.reduce { arith.addf } ins(%p : tensor<8x2xf32>) outs(%i24 : tensor<8xf32>) dimensions = [1]
  %y = call @rest(%e, %l, %x) : (tensor<8x8xf32>, tensor<8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// Halves that overlap.
// CHECK-LABEL: func @a_key_counts_twice(
// CHECK-NOT: xsa.attention
// CHECK: return
func.func @a_key_counts_twice(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %e = call @exponentials(%x) : (tensor<8x4xf32>) -> tensor<8x8xf32>
  %a = tensor.extract_slice %e[0, 0] [8, 4] [1, 1] : tensor<8x8xf32> to tensor<8x4xf32>
  %b = tensor.extract_slice %e[0, 3] [8, 4] [1, 1] : tensor<8x8xf32> to tensor<8x4xf32>
  %z25 = arith.constant 0.0 : f32
  %e25 = tensor.empty() : tensor<8xf32>
  %i25 = linalg.fill ins(%z25 : f32) outs(%e25 : tensor<8xf32>) -> tensor<8xf32>
  %p = linalg.reduce { arith.addf } ins(%a : tensor<8x4xf32>) outs(%i25 : tensor<8xf32>) dimensions = [1]
  %z26 = arith.constant 0.0 : f32
  %e26 = tensor.empty() : tensor<8xf32>
  %i26 = linalg.fill ins(%z26 : f32) outs(%e26 : tensor<8xf32>) -> tensor<8xf32>
  %o = linalg.reduce { arith.addf } ins(%b : tensor<8x4xf32>) outs(%i26 : tensor<8xf32>) dimensions = [1]
  %a27 = tensor.empty() : tensor<8xf32>
  %l = linalg.add ins(%p, %o : tensor<8xf32>, tensor<8xf32>) outs(%a27 : tensor<8xf32>) -> tensor<8xf32>
  %y = call @rest(%e, %l, %x) : (tensor<8x8xf32>, tensor<8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// The same half twice.
// CHECK-LABEL: func @one_half_twice(
// CHECK-NOT: xsa.attention
// CHECK: return
func.func @one_half_twice(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %e = call @exponentials(%x) : (tensor<8x4xf32>) -> tensor<8x8xf32>
  %a = tensor.extract_slice %e[0, 0] [8, 4] [1, 1] : tensor<8x8xf32> to tensor<8x4xf32>
  %b = tensor.extract_slice %e[0, 0] [8, 4] [1, 1] : tensor<8x8xf32> to tensor<8x4xf32>
  %z28 = arith.constant 0.0 : f32
  %e28 = tensor.empty() : tensor<8xf32>
  %i28 = linalg.fill ins(%z28 : f32) outs(%e28 : tensor<8xf32>) -> tensor<8xf32>
  %p = linalg.reduce { arith.addf } ins(%a : tensor<8x4xf32>) outs(%i28 : tensor<8xf32>) dimensions = [1]
  %z29 = arith.constant 0.0 : f32
  %e29 = tensor.empty() : tensor<8xf32>
  %i29 = linalg.fill ins(%z29 : f32) outs(%e29 : tensor<8xf32>) -> tensor<8xf32>
  %o = linalg.reduce { arith.addf } ins(%b : tensor<8x4xf32>) outs(%i29 : tensor<8xf32>) dimensions = [1]
  %a30 = tensor.empty() : tensor<8xf32>
  %l = linalg.add ins(%p, %o : tensor<8xf32>, tensor<8xf32>) outs(%a30 : tensor<8xf32>) -> tensor<8xf32>
  %y = call @rest(%e, %l, %x) : (tensor<8x8xf32>, tensor<8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// The largest of the partial sums.
// CHECK-LABEL: func @largest_of_partial_sums(
// CHECK-NOT: xsa.attention
// CHECK: return
func.func @largest_of_partial_sums(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %e = call @exponentials(%x) : (tensor<8x4xf32>) -> tensor<8x8xf32>
  %c = tensor.expand_shape %e [[0], [1, 2]] output_shape [8, 4, 2] : tensor<8x8xf32> into tensor<8x4x2xf32>
  %z31 = arith.constant 0.0 : f32
  %e31 = tensor.empty() : tensor<8x4xf32>
  %i31 = linalg.fill ins(%z31 : f32) outs(%e31 : tensor<8x4xf32>) -> tensor<8x4xf32>
  %p = linalg.reduce { arith.addf } ins(%c : tensor<8x4x2xf32>) outs(%i31 : tensor<8x4xf32>) dimensions = [2]
  %z32 = arith.constant 0xFF800000 : f32
  %e32 = tensor.empty() : tensor<8xf32>
  %i32 = linalg.fill ins(%z32 : f32) outs(%e32 : tensor<8xf32>) -> tensor<8xf32>
  %l = linalg.reduce { arith.maximumf } ins(%p : tensor<8x4xf32>) outs(%i32 : tensor<8xf32>) dimensions = [1]
  %y = call @rest(%e, %l, %x) : (tensor<8x8xf32>, tensor<8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// The sum of the largest of each chunk.
// CHECK-LABEL: func @sum_of_largest(
// CHECK-NOT: xsa.attention
// CHECK: return
func.func @sum_of_largest(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %e = call @exponentials(%x) : (tensor<8x4xf32>) -> tensor<8x8xf32>
  %c = tensor.expand_shape %e [[0], [1, 2]] output_shape [8, 4, 2] : tensor<8x8xf32> into tensor<8x4x2xf32>
  %z33 = arith.constant 0xFF800000 : f32
  %e33 = tensor.empty() : tensor<8x4xf32>
  %i33 = linalg.fill ins(%z33 : f32) outs(%e33 : tensor<8x4xf32>) -> tensor<8x4xf32>
  %p = linalg.reduce { arith.maximumf } ins(%c : tensor<8x4x2xf32>) outs(%i33 : tensor<8x4xf32>) dimensions = [2]
  %z34 = arith.constant 0.0 : f32
  %e34 = tensor.empty() : tensor<8xf32>
  %i34 = linalg.fill ins(%z34 : f32) outs(%e34 : tensor<8xf32>) -> tensor<8xf32>
  %l = linalg.reduce { arith.addf } ins(%p : tensor<8x4xf32>) outs(%i34 : tensor<8xf32>) dimensions = [1]
  %y = call @rest(%e, %l, %x) : (tensor<8x8xf32>, tensor<8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// Squares of partial sums.
// CHECK-LABEL: func @squares(
// CHECK-NOT: xsa.attention
// CHECK: return
func.func @squares(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %e = call @exponentials(%x) : (tensor<8x4xf32>) -> tensor<8x8xf32>
  %c = tensor.expand_shape %e [[0], [1, 2]] output_shape [8, 4, 2] : tensor<8x8xf32> into tensor<8x4x2xf32>
  %z35 = arith.constant 0.0 : f32
  %e35 = tensor.empty() : tensor<8x4xf32>
  %i35 = linalg.fill ins(%z35 : f32) outs(%e35 : tensor<8x4xf32>) -> tensor<8x4xf32>
  %p = linalg.reduce { arith.addf } ins(%c : tensor<8x4x2xf32>) outs(%i35 : tensor<8x4xf32>) dimensions = [2]
  %eq = tensor.empty() : tensor<8x4xf32>
  %q = linalg.mul ins(%p, %p : tensor<8x4xf32>, tensor<8x4xf32>) outs(%eq : tensor<8x4xf32>) -> tensor<8x4xf32>
  %z36 = arith.constant 0.0 : f32
  %e36 = tensor.empty() : tensor<8xf32>
  %i36 = linalg.fill ins(%z36 : f32) outs(%e36 : tensor<8xf32>) -> tensor<8xf32>
  %l = linalg.reduce { arith.addf } ins(%q : tensor<8x4xf32>) outs(%i36 : tensor<8xf32>) dimensions = [1]
  %y = call @rest(%e, %l, %x) : (tensor<8x8xf32>, tensor<8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// Half of the keys of the row before.
// CHECK-LABEL: func @a_half_of_another_row(
// CHECK-NOT: xsa.attention
// CHECK: return
func.func @a_half_of_another_row(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %e = call @exponentials(%x) : (tensor<8x4xf32>) -> tensor<8x8xf32>
  %a = tensor.extract_slice %e[0, 0] [8, 4] [1, 1] : tensor<8x8xf32> to tensor<8x4xf32>
  %b = tensor.extract_slice %e[0, 4] [8, 4] [1, 1] : tensor<8x8xf32> to tensor<8x4xf32>
  %b1 = tensor.extract_slice %b[7, 0] [1, 4] [1, 1] : tensor<8x4xf32> to tensor<1x4xf32>
  %b2 = tensor.extract_slice %b[0, 0] [7, 4] [1, 1] : tensor<8x4xf32> to tensor<7x4xf32>
  %r = tensor.concat dim(0) %b1, %b2 : (tensor<1x4xf32>, tensor<7x4xf32>) -> tensor<8x4xf32>
  %z37 = arith.constant 0.0 : f32
  %e37 = tensor.empty() : tensor<8xf32>
  %i37 = linalg.fill ins(%z37 : f32) outs(%e37 : tensor<8xf32>) -> tensor<8xf32>
  %p = linalg.reduce { arith.addf } ins(%a : tensor<8x4xf32>) outs(%i37 : tensor<8xf32>) dimensions = [1]
  %z38 = arith.constant 0.0 : f32
  %e38 = tensor.empty() : tensor<8xf32>
  %i38 = linalg.fill ins(%z38 : f32) outs(%e38 : tensor<8xf32>) -> tensor<8xf32>
  %o = linalg.reduce { arith.addf } ins(%r : tensor<8x4xf32>) outs(%i38 : tensor<8xf32>) dimensions = [1]
  %a39 = tensor.empty() : tensor<8xf32>
  %l = linalg.add ins(%p, %o : tensor<8xf32>, tensor<8xf32>) outs(%a39 : tensor<8xf32>) -> tensor<8xf32>
  %y = call @rest(%e, %l, %x) : (tensor<8x8xf32>, tensor<8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

func.func private @exponentials(%x: tensor<8x4xf32>) -> tensor<8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %et = tensor.empty() : tensor<4x8xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %t = linalg.transpose ins(%x : tensor<8x4xf32>) outs(%et : tensor<4x8xf32>) permutation = [1, 0]
  %s = linalg.matmul ins(%x, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %e = linalg.exp ins(%s : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %e : tensor<8x8xf32>
}

func.func private @rest(%e: tensor<8x8xf32>, %l: tensor<8xf32>, %x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%e, %l : tensor<8x8xf32>, tensor<8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %r = arith.divf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %y = linalg.matmul ins(%p, %x : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// RUN: xsa-opt %s --split-input-file --convert-attention-to-xsa --verify-diagnostics | FileCheck %s

// Loops and branches hand probabilities on: who reads them behind a loop, in its next
// round or in the loop around it is a user like any other.

// CHECK-LABEL: func @behind_a_loop(
// CHECK-NOT: exclusion
// CHECK: xsa.attention
// CHECK-NOT: exclusion
func.func @behind_a_loop(%x: tensor<8x4xf32>, %n: index) -> (tensor<8x4xf32>, tensor<8x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %et = tensor.empty() : tensor<4x8xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %s0) -> (tensor<8x4xf32>, tensor<8x8xf32>) {
    %t = linalg.transpose ins(%a : tensor<8x4xf32>) outs(%et : tensor<4x8xf32>) permutation = [1, 0]
    %s = linalg.matmul ins(%a, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
    %p = linalg.softmax dimension(1) ins(%s : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
    // expected-remark @below {{attention not made exclusive: its probabilities are also used by 'linalg.exp', which would no longer belong to the output}}
    %y = linalg.matmul ins(%p, %a : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
    scf.yield %y, %p : tensor<8x4xf32>, tensor<8x8xf32>
  }
  %z = linalg.exp ins(%r#1 : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %r#0, %z : tensor<8x4xf32>, tensor<8x8xf32>
}

// -----

// Only returned behind it.
// CHECK-LABEL: func @result_of_a_loop(
// CHECK: xsa.attention {exclusion
func.func @result_of_a_loop(%x: tensor<8x4xf32>, %n: index) -> (tensor<8x4xf32>, tensor<8x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %et = tensor.empty() : tensor<4x8xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %s0) -> (tensor<8x4xf32>, tensor<8x8xf32>) {
    %t = linalg.transpose ins(%a : tensor<8x4xf32>) outs(%et : tensor<4x8xf32>) permutation = [1, 0]
    %s = linalg.matmul ins(%a, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
    %p = linalg.softmax dimension(1) ins(%s : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
    %y = linalg.matmul ins(%p, %a : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
    scf.yield %y, %p : tensor<8x4xf32>, tensor<8x8xf32>
  }
  return %r#0, %r#1 : tensor<8x4xf32>, tensor<8x8xf32>
}

// -----

// Read in the next round.
// CHECK-LABEL: func @next_round(
// CHECK-NOT: exclusion
// CHECK: xsa.attention
// CHECK-NOT: exclusion
func.func @next_round(%x: tensor<8x4xf32>, %n: index) -> (tensor<8x4xf32>, tensor<8x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %et = tensor.empty() : tensor<4x8xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:4 = scf.while (%i = %c0, %a = %x, %b = %s0, %c = %s0) : (index, tensor<8x4xf32>, tensor<8x8xf32>, tensor<8x8xf32>)
      -> (index, tensor<8x4xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
    %goes = arith.cmpi slt, %i, %n : index
    scf.condition(%goes) %i, %a, %b, %c : index, tensor<8x4xf32>, tensor<8x8xf32>, tensor<8x8xf32>
  } do {
  ^bb0(%i: index, %a: tensor<8x4xf32>, %b: tensor<8x8xf32>, %c: tensor<8x8xf32>):
    %t = linalg.transpose ins(%a : tensor<8x4xf32>) outs(%et : tensor<4x8xf32>) permutation = [1, 0]
    %s = linalg.matmul ins(%a, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
    %p = linalg.softmax dimension(1) ins(%s : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
    // expected-remark @below {{attention not made exclusive: its probabilities are also used by 'linalg.exp', which would no longer belong to the output}}
    %y = linalg.matmul ins(%p, %a : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
    %z = linalg.exp ins(%b : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
    %next = arith.addi %i, %c1 : index
    scf.yield %next, %y, %p, %z : index, tensor<8x4xf32>, tensor<8x8xf32>, tensor<8x8xf32>
  }
  return %r#1, %r#3 : tensor<8x4xf32>, tensor<8x8xf32>
}

// -----

// Read in a branch, from outside.
// CHECK-LABEL: func @in_a_branch(
// CHECK-NOT: exclusion
// CHECK: xsa.attention
// CHECK-NOT: exclusion
func.func @in_a_branch(%x: tensor<8x4xf32>, %b: i1) -> (tensor<8x4xf32>, tensor<8x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %et = tensor.empty() : tensor<4x8xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %t = linalg.transpose ins(%x : tensor<8x4xf32>) outs(%et : tensor<4x8xf32>) permutation = [1, 0]
  %s = linalg.matmul ins(%x, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  // expected-remark @below {{attention not made exclusive: its probabilities are also used by 'linalg.exp', which would no longer belong to the output}}
  %y = linalg.matmul ins(%p, %x : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  %r = scf.if %b -> tensor<8x8xf32> {
    %z = linalg.exp ins(%p : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
    scf.yield %z : tensor<8x8xf32>
  } else {
    scf.yield %p : tensor<8x8xf32>
  }
  return %y, %r : tensor<8x4xf32>, tensor<8x8xf32>
}

// -----

// Handed to another block.
// CHECK-LABEL: func @another_block(
// CHECK-NOT: exclusion
// CHECK: xsa.attention
// CHECK-NOT: exclusion
func.func @another_block(%x: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %et = tensor.empty() : tensor<4x8xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %t = linalg.transpose ins(%x : tensor<8x4xf32>) outs(%et : tensor<4x8xf32>) permutation = [1, 0]
  %s = linalg.matmul ins(%x, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  // expected-remark @below {{attention not made exclusive: its probabilities are also used by 'linalg.exp', which would no longer belong to the output}}
  %y = linalg.matmul ins(%p, %x : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  cf.br ^next(%p : tensor<8x8xf32>)
^next(%q: tensor<8x8xf32>):
  %z = linalg.exp ins(%q : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %y, %z : tensor<8x4xf32>, tensor<8x8xf32>
}

// -----

// Threads that write parts of a result read as a whole.
// CHECK-LABEL: func @in_threads(
// CHECK-NOT: exclusion
// CHECK: xsa.attention
// CHECK-NOT: exclusion
func.func @in_threads(%x: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %et = tensor.empty() : tensor<4x8xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %t = linalg.transpose ins(%x : tensor<8x4xf32>) outs(%et : tensor<4x8xf32>) permutation = [1, 0]
  %s = linalg.matmul ins(%x, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  // expected-remark @below {{attention not made exclusive: its probabilities are also used by 'scf.forall', which would no longer belong to the output}}
  %y = linalg.matmul ins(%p, %x : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  %r = scf.forall (%i) in (8) shared_outs(%o = %es) -> tensor<8x8xf32> {
    %row = tensor.extract_slice %p[%i, 0] [1, 8] [1, 1] : tensor<8x8xf32> to tensor<1x8xf32>
    %to = tensor.empty() : tensor<1x8xf32>
    %z = linalg.exp ins(%row : tensor<1x8xf32>) outs(%to : tensor<1x8xf32>) -> tensor<1x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %z into %o[%i, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<8x8xf32>
    }
  }
  return %y, %r : tensor<8x4xf32>, tensor<8x8xf32>
}

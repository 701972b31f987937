// RUN: xsa-opt %s --raise-attention-to-xsa 2>/dev/null | FileCheck %s
// RUN: xsa-opt %s --convert-attention-to-xsa 2>/dev/null | FileCheck %s --check-prefix=EXCLUSIVE

// What exponentials are multiplied with and divided by: once by their sum, or by the
// exponential of its logarithm.

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#r = affine_map<(i) -> (i)>

// CHECK-LABEL: func @guarded(
// CHECK: xsa.attention
func.func @guarded(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %e = call @exponentials(%x) : (tensor<8x4xf32>) -> tensor<8x8xf32>
  %l = call @sum(%e) : (tensor<8x8xf32>) -> tensor<8xf32>
  %el = tensor.empty() : tensor<8xf32>
  %g = linalg.generic {indexing_maps = [#r, #r], iterator_types = ["parallel"]} ins(%l : tensor<8xf32>) outs(%el : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.cmpf oeq, %a, %zero : f32
    %n = arith.select %c, %one, %a : f32
    linalg.yield %n : f32
  } -> tensor<8xf32>
  %y = call @rest(%e, %g, %x) : (tensor<8x8xf32>, tensor<8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// A sum that is replaced where it is another number than 0.
// CHECK-LABEL: func @replaced(
// CHECK-NOT: xsa.attention
// CHECK: return
func.func @replaced(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %e = call @exponentials(%x) : (tensor<8x4xf32>) -> tensor<8x8xf32>
  %l = call @sum(%e) : (tensor<8x8xf32>) -> tensor<8xf32>
  %el = tensor.empty() : tensor<8xf32>
  %g = linalg.generic {indexing_maps = [#r, #r], iterator_types = ["parallel"]} ins(%l : tensor<8xf32>) outs(%el : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.cmpf oeq, %a, %half : f32
    %n = arith.select %c, %one, %a : f32
    linalg.yield %n : f32
  } -> tensor<8xf32>
  %y = call @rest(%e, %g, %x) : (tensor<8x8xf32>, tensor<8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// CHECK-LABEL: func @squared(
// CHECK-NOT: xsa.attention
// CHECK: return
func.func @squared(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %e = call @exponentials(%x) : (tensor<8x4xf32>) -> tensor<8x8xf32>
  %l = call @sum(%e) : (tensor<8x8xf32>) -> tensor<8xf32>
  %el = tensor.empty() : tensor<8xf32>
  %g = linalg.mul ins(%l, %l : tensor<8xf32>, tensor<8xf32>) outs(%el : tensor<8xf32>) -> tensor<8xf32>
  %y = call @rest(%e, %g, %x) : (tensor<8x8xf32>, tensor<8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// The end of a running sum is the sum. Nothing else is made from it, so that the
// attention may become exclusive.
// CHECK-LABEL: func @end_of_running_sum(
// CHECK: xsa.attention
// EXCLUSIVE-LABEL: func @end_of_running_sum(
// EXCLUSIVE: xsa.attention {exclusion
// CHECK: return
func.func @end_of_running_sum(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = call @exponentials(%x) : (tensor<8x4xf32>) -> tensor<8x8xf32>
  %es = tensor.empty() : tensor<8x8xf32>
  %el = tensor.empty() : tensor<8xf32>
  %l0 = linalg.fill ins(%zero : f32) outs(%el : tensor<8xf32>) -> tensor<8xf32>
  %running, %all = tm_tensor.scan dimension(1) inclusive(true) ins(%e : tensor<8x8xf32>) outs(%es, %l0 : tensor<8x8xf32>, tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    tm_tensor.yield %sum : f32
  } -> tensor<8x8xf32>, tensor<8xf32>
  %l = tensor.extract_slice %running[0, 7] [8, 1] [1, 1] : tensor<8x8xf32> to tensor<8xf32>
  %y = call @rest(%e, %l, %x) : (tensor<8x8xf32>, tensor<8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// CHECK-LABEL: func @before_the_end(
// CHECK-NOT: xsa.attention
// CHECK: return
func.func @before_the_end(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = call @exponentials(%x) : (tensor<8x4xf32>) -> tensor<8x8xf32>
  %es = tensor.empty() : tensor<8x8xf32>
  %el = tensor.empty() : tensor<8xf32>
  %l0 = linalg.fill ins(%zero : f32) outs(%el : tensor<8xf32>) -> tensor<8xf32>
  %running, %all = tm_tensor.scan dimension(1) inclusive(true) ins(%e : tensor<8x8xf32>) outs(%es, %l0 : tensor<8x8xf32>, tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    tm_tensor.yield %sum : f32
  } -> tensor<8x8xf32>, tensor<8xf32>
  %l = tensor.extract_slice %running[0, 6] [8, 1] [1, 1] : tensor<8x8xf32> to tensor<8xf32>
  %y = call @rest(%e, %l, %x) : (tensor<8x8xf32>, tensor<8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// The last one does not take part.
// CHECK-LABEL: func @sum_of_those_before(
// CHECK-NOT: xsa.attention
// CHECK: return
func.func @sum_of_those_before(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = call @exponentials(%x) : (tensor<8x4xf32>) -> tensor<8x8xf32>
  %es = tensor.empty() : tensor<8x8xf32>
  %el = tensor.empty() : tensor<8xf32>
  %l0 = linalg.fill ins(%zero : f32) outs(%el : tensor<8xf32>) -> tensor<8xf32>
  %running, %all = tm_tensor.scan dimension(1) inclusive(false) ins(%e : tensor<8x8xf32>) outs(%es, %l0 : tensor<8x8xf32>, tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    tm_tensor.yield %sum : f32
  } -> tensor<8x8xf32>, tensor<8xf32>
  %l = tensor.extract_slice %running[0, 7] [8, 1] [1, 1] : tensor<8x8xf32> to tensor<8xf32>
  %y = call @rest(%e, %l, %x) : (tensor<8x8xf32>, tensor<8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// CHECK-LABEL: func @running_product(
// CHECK-NOT: xsa.attention
// CHECK: return
func.func @running_product(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = call @exponentials(%x) : (tensor<8x4xf32>) -> tensor<8x8xf32>
  %es = tensor.empty() : tensor<8x8xf32>
  %el = tensor.empty() : tensor<8xf32>
  %l0 = linalg.fill ins(%zero : f32) outs(%el : tensor<8xf32>) -> tensor<8xf32>
  %running, %all = tm_tensor.scan dimension(1) inclusive(true) ins(%e : tensor<8x8xf32>) outs(%es, %l0 : tensor<8x8xf32>, tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %sum = arith.mulf %a, %b : f32
    tm_tensor.yield %sum : f32
  } -> tensor<8x8xf32>, tensor<8xf32>
  %l = tensor.extract_slice %running[0, 7] [8, 1] [1, 1] : tensor<8x8xf32> to tensor<8xf32>
  %y = call @rest(%e, %l, %x) : (tensor<8x8xf32>, tensor<8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// As JAX has it: a window that ends at each position, whose size is that of a
// tensor.
// CHECK-LABEL: func @end_of_windows(
// CHECK: xsa.attention
// EXCLUSIVE-LABEL: func @end_of_windows(
// EXCLUSIVE: xsa.attention {exclusion
// CHECK: return
func.func @end_of_windows(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = call @exponentials(%x) : (tensor<8x4xf32>) -> tensor<8x8xf32>
  %es = tensor.empty() : tensor<8x8xf32>
  %el = tensor.empty() : tensor<8xf32>
  %l0 = linalg.fill ins(%zero : f32) outs(%el : tensor<8xf32>) -> tensor<8xf32>
  %padded = tensor.pad %e low[0, 7] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<8x8xf32> to tensor<8x15xf32>
  %window = tensor.empty() : tensor<1x8xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %running = linalg.generic {indexing_maps = [affine_map<(i, j, w, n) -> (i + w, j + n)>, affine_map<(i, j, w, n) -> (w, n)>, affine_map<(i, j, w, n) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%padded, %window : tensor<8x15xf32>, tensor<1x8xf32>) outs(%r0 : tensor<8x8xf32>) {
  ^bb0(%a: f32, %unused: f32, %o: f32):
    %sum = arith.addf %o, %a : f32
    linalg.yield %sum : f32
  } -> tensor<8x8xf32>
  %l = tensor.extract_slice %running[0, 7] [8, 1] [1, 1] : tensor<8x8xf32> to tensor<8xf32>
  %y = call @rest(%e, %l, %x) : (tensor<8x8xf32>, tensor<8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// CHECK-LABEL: func @windows_before_the_end(
// CHECK-NOT: xsa.attention
// CHECK: return
func.func @windows_before_the_end(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = call @exponentials(%x) : (tensor<8x4xf32>) -> tensor<8x8xf32>
  %es = tensor.empty() : tensor<8x8xf32>
  %el = tensor.empty() : tensor<8xf32>
  %l0 = linalg.fill ins(%zero : f32) outs(%el : tensor<8xf32>) -> tensor<8xf32>
  %padded = tensor.pad %e low[0, 7] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<8x8xf32> to tensor<8x15xf32>
  %window = tensor.empty() : tensor<1x8xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %running = linalg.generic {indexing_maps = [affine_map<(i, j, w, n) -> (i + w, j + n)>, affine_map<(i, j, w, n) -> (w, n)>, affine_map<(i, j, w, n) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%padded, %window : tensor<8x15xf32>, tensor<1x8xf32>) outs(%r0 : tensor<8x8xf32>) {
  ^bb0(%a: f32, %unused: f32, %o: f32):
    %sum = arith.addf %o, %a : f32
    linalg.yield %sum : f32
  } -> tensor<8x8xf32>
  %l = tensor.extract_slice %running[0, 6] [8, 1] [1, 1] : tensor<8x8xf32> to tensor<8xf32>
  %y = call @rest(%e, %l, %x) : (tensor<8x8xf32>, tensor<8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// exp(log(sum)) is the sum, and not its reciprocal.
// CHECK-LABEL: func @multiplied(
// CHECK-NOT: xsa.attention
// CHECK: return
func.func @multiplied(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %e = call @exponentials(%x) : (tensor<8x4xf32>) -> tensor<8x8xf32>
  %l = call @sum(%e) : (tensor<8x8xf32>) -> tensor<8xf32>
  %g = call @logarithm(%l) : (tensor<8xf32>) -> tensor<8xf32>
  %y = call @product(%e, %g, %x) : (tensor<8x8xf32>, tensor<8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// CHECK-LABEL: func @divided_by_logarithm(
// CHECK: xsa.attention
func.func @divided_by_logarithm(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %e = call @exponentials(%x) : (tensor<8x4xf32>) -> tensor<8x8xf32>
  %l = call @sum(%e) : (tensor<8x8xf32>) -> tensor<8xf32>
  %g = call @logarithm(%l) : (tensor<8xf32>) -> tensor<8xf32>
  %el = tensor.empty() : tensor<8xf32>
  %n = linalg.negf ins(%g : tensor<8xf32>) outs(%el : tensor<8xf32>) -> tensor<8xf32>
  %y = call @product(%e, %n, %x) : (tensor<8x8xf32>, tensor<8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

func.func private @logarithm(%l: tensor<8xf32>) -> tensor<8xf32> {
  %el = tensor.empty() : tensor<8xf32>
  %g = linalg.log ins(%l : tensor<8xf32>) outs(%el : tensor<8xf32>) -> tensor<8xf32>
  return %g : tensor<8xf32>
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

func.func private @sum(%e: tensor<8x8xf32>) -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  %el = tensor.empty() : tensor<8xf32>
  %l0 = linalg.fill ins(%zero : f32) outs(%el : tensor<8xf32>) -> tensor<8xf32>
  %l = linalg.reduce { arith.addf } ins(%e : tensor<8x8xf32>) outs(%l0 : tensor<8xf32>) dimensions = [1]
  return %l : tensor<8xf32>
}

// e times the exponential of g.
func.func private @product(%e: tensor<8x8xf32>, %g: tensor<8xf32>, %x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%e, %g : tensor<8x8xf32>, tensor<8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %f = math.exp %b : f32
    %r = arith.mulf %a, %f : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %y = linalg.matmul ins(%p, %x : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
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

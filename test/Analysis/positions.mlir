// RUN: xsa-opt %s --test-tensor-expr -o /dev/null | FileCheck %s

// Quotients and remainders of positions, in the arithmetic that importers write.

#vec = affine_map<(d0) -> (d0)>

// A quotient that is rounded down as a float is one of integers, where the float
// holds every position.
// CHECK-LABEL: @floors
// CHECK-NEXT: [i[[I:[0-9]+]]] -> floordiv(i[[I]], 3)
// CHECK-NEXT: [i[[I:[0-9]+]]] -> fptoint(floor(div(tofloat(i[[I]]), 3.000000e+00)))
// CHECK-NEXT: [i[[I:[0-9]+]]] -> fptoint(div(tofloat(-5 + i[[I]]), 3.000000e+00))
func.func @floors() -> (tensor<8xi64>, tensor<33554432xi64>, tensor<8xi64>) {
  %by = arith.constant 3.0 : f32
  %e = tensor.empty() : tensor<8xi64>
  %small = linalg.generic {indexing_maps = [#vec], iterator_types = ["parallel"]} outs(%e : tensor<8xi64>) {
  ^bb0(%o: i64):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i64
    %f = arith.sitofp %n : i64 to f32
    %q = arith.divf %f, %by : f32
    %d = math.floor %q : f32
    %r = arith.fptosi %d : f32 to i64
    linalg.yield %r : i64
  } -> tensor<8xi64>
  %el = tensor.empty() : tensor<33554432xi64>
  %large = linalg.generic {indexing_maps = [#vec], iterator_types = ["parallel"]} outs(%el : tensor<33554432xi64>) {
  ^bb0(%o: i64):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i64
    %f = arith.sitofp %n : i64 to f32
    %q = arith.divf %f, %by : f32
    %d = math.floor %q : f32
    %r = arith.fptosi %d : f32 to i64
    linalg.yield %r : i64
  } -> tensor<33554432xi64>
  // A conversion alone rounds to zero, which differs for negative numbers.
  %negative = linalg.generic {indexing_maps = [#vec], iterator_types = ["parallel"]} outs(%e : tensor<8xi64>) {
  ^bb0(%o: i64):
    %five = arith.constant 5 : i64
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i64
    %m = arith.subi %n, %five : i64
    %f = arith.sitofp %m : i64 to f32
    %q = arith.divf %f, %by : f32
    %r = arith.fptosi %q : f32 to i64
    linalg.yield %r : i64
  } -> tensor<8xi64>
  return %small, %large, %negative : tensor<8xi64>, tensor<33554432xi64>, tensor<8xi64>
}

// Division towards zero is that of magnitudes; the lowest bits are a remainder,
// and a shift to the right rounds down.
// CHECK-LABEL: @integers
// CHECK-NEXT: [i[[I:[0-9]+]]] -> select(nonneg(-5 + i[[I]]), -2 + floordiv(1 + i[[I]], 3), -1 + -1*floordiv(2 + -1*i[[I]], 3))
// CHECK-NEXT: [i[[I:[0-9]+]]] -> select(nonneg(-5 + i[[I]]), mod(1 + i[[I]], 3), -1*mod(2 + -1*i[[I]], 3))
// CHECK-NEXT: [i[[I:[0-9]+]]] -> mod(i[[I]], 4)
// CHECK-NEXT: [i[[I:[0-9]+]]] -> arith.andi(i[[I]], 5)
// CHECK-NEXT: [i[[I:[0-9]+]]] -> -3 + floordiv(1 + i[[I]], 2)
func.func @integers() -> (tensor<8xi64>, tensor<8xi64>, tensor<9xi64>, tensor<9xi64>, tensor<9xi64>) {
  %three = arith.constant 3 : i64
  %five = arith.constant 5 : i64
  %e = tensor.empty() : tensor<8xi64>
  %q = linalg.generic {indexing_maps = [#vec], iterator_types = ["parallel"]} outs(%e : tensor<8xi64>) {
  ^bb0(%o: i64):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i64
    %m = arith.subi %n, %five : i64
    %r = arith.divsi %m, %three : i64
    linalg.yield %r : i64
  } -> tensor<8xi64>
  %rest = linalg.generic {indexing_maps = [#vec], iterator_types = ["parallel"]} outs(%e : tensor<8xi64>) {
  ^bb0(%o: i64):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i64
    %m = arith.subi %n, %five : i64
    %r = arith.remsi %m, %three : i64
    linalg.yield %r : i64
  } -> tensor<8xi64>
  %e9 = tensor.empty() : tensor<9xi64>
  %bits = linalg.generic {indexing_maps = [#vec], iterator_types = ["parallel"]} outs(%e9 : tensor<9xi64>) {
  ^bb0(%o: i64):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i64
    %r = arith.andi %n, %three : i64
    linalg.yield %r : i64
  } -> tensor<9xi64>
  // No run of ones.
  %odd = linalg.generic {indexing_maps = [#vec], iterator_types = ["parallel"]} outs(%e9 : tensor<9xi64>) {
  ^bb0(%o: i64):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i64
    %r = arith.andi %n, %five : i64
    linalg.yield %r : i64
  } -> tensor<9xi64>
  %shift = linalg.generic {indexing_maps = [#vec], iterator_types = ["parallel"]} outs(%e9 : tensor<9xi64>) {
  ^bb0(%o: i64):
    %one = arith.constant 1 : i64
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i64
    %m = arith.subi %n, %five : i64
    %r = arith.shrsi %m, %one : i64
    linalg.yield %r : i64
  } -> tensor<9xi64>
  return %q, %rest, %bits, %odd, %shift : tensor<8xi64>, tensor<8xi64>, tensor<9xi64>, tensor<9xi64>, tensor<9xi64>
}

// A list of positions that is a sum of functions of the digits of its indices is
// read as that, and no other.
// CHECK-LABEL: @lists
// CHECK-NEXT: [i[[I:[0-9]+]], i[[J:[0-9]+]]] -> arg0[{{.*}}2*i[[I]]{{.*}}]
// CHECK-NEXT: -> arg0[arith.constant[{{.*}}]]
#mat = affine_map<(d0, d1) -> (d0, d1)>
func.func @lists(%x: tensor<4xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
  %sum = arith.constant dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>
  %none = arith.constant dense<[[0, 1], [2, 0]]> : tensor<2x2xi64>
  %e = tensor.empty() : tensor<2x2xf32>
  %a = linalg.generic {indexing_maps = [#mat, #mat], iterator_types = ["parallel", "parallel"]} ins(%sum : tensor<2x2xi64>) outs(%e : tensor<2x2xf32>) {
  ^bb0(%n: i64, %o: f32):
    %i = arith.index_cast %n : i64 to index
    %r = tensor.extract %x[%i] : tensor<4xf32>
    linalg.yield %r : f32
  } -> tensor<2x2xf32>
  %b = linalg.generic {indexing_maps = [#mat, #mat], iterator_types = ["parallel", "parallel"]} ins(%none : tensor<2x2xi64>) outs(%e : tensor<2x2xf32>) {
  ^bb0(%n: i64, %o: f32):
    %i = arith.index_cast %n : i64 to index
    %r = tensor.extract %x[%i] : tensor<4xf32>
    linalg.yield %r : f32
  } -> tensor<2x2xf32>
  return %a, %b : tensor<2x2xf32>, tensor<2x2xf32>
}

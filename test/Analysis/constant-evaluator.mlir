// RUN: xsa-opt %s --test-constant-evaluator -o /dev/null | FileCheck %s

// CHECK-LABEL: @tables
// CHECK-NEXT: 1, 0, 0, 1, 1, 0, 1, 1, 1
// CHECK-NEXT: 0, -inf, 0, 0
// CHECK-NEXT: 6, 15
// CHECK-NEXT: not constant
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @tables(%x: tensor<3xf32>) -> (tensor<3x3xi1>, tensor<2x2xf32>, tensor<2xi64>, tensor<3xf32>) {
  %e = tensor.empty() : tensor<3x3xi1>
  %t = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<3x3xi1>) {
  ^bb0(%o: i1):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %r = arith.cmpi sle, %j, %i : index
    linalg.yield %r : i1
  } -> tensor<3x3xi1>
  %part = tensor.extract_slice %t[0, 0] [2, 2] [1, 1] : tensor<3x3xi1> to tensor<2x2xi1>
  %ef = tensor.empty() : tensor<2x2xf32>
  %m = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%part : tensor<2x2xi1>) outs(%ef : tensor<2x2xf32>) {
  ^bb0(%c: i1, %o: f32):
    %zero = arith.constant 0.0 : f32
    %ninf = arith.constant 0xFF800000 : f32
    %r = arith.select %c, %zero, %ninf : f32
    linalg.yield %r : f32
  } -> tensor<2x2xf32>
  %k = arith.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi64>
  %z = arith.constant dense<0> : tensor<2xi64>
  %s = linalg.reduce { arith.addi } ins(%k : tensor<2x3xi64>) outs(%z : tensor<2xi64>) dimensions = [1]
  return %t, %m, %s, %x : tensor<3x3xi1>, tensor<2x2xf32>, tensor<2xi64>, tensor<3xf32>
}

// Beyond 2^53 a double is not exact.
// CHECK-LABEL: @too_large
// CHECK-NEXT: not constant
// CHECK-NEXT: not constant
func.func @too_large() -> (tensor<2xi64>, tensor<1xi64>) {
  %k = arith.constant dense<[9007199254740993, 0]> : tensor<2xi64>
  %large = arith.constant dense<[[9007199254740992, 1]]> : tensor<1x2xi64>
  %z = arith.constant dense<0> : tensor<1xi64>
  %s = linalg.reduce { arith.addi } ins(%large : tensor<1x2xi64>) outs(%z : tensor<1xi64>) dimensions = [1]
  return %k, %s : tensor<2xi64>, tensor<1xi64>
}

// Operations on bits that have no form of their own as expressions, and numbers
// rounded down.
// CHECK-LABEL: @bits
// CHECK-NEXT: 0, 1, 4, 5
// CHECK-NEXT: 3, 3, 7, 7
// CHECK-NEXT: -1, -1, 0, 0
#vec = affine_map<(d0) -> (d0)>
func.func @bits() -> (tensor<4xi64>, tensor<4xi64>, tensor<4xi64>) {
  %five = arith.constant 5 : i64
  %three = arith.constant 3 : i64
  %two = arith.constant 2.0 : f32
  %k = arith.constant dense<[0, 1, 6, 7]> : tensor<4xi64>
  %f = arith.constant dense<[-2.0, -0.5, 0.5, 1.5]> : tensor<4xf32>
  %e = tensor.empty() : tensor<4xi64>
  %and = linalg.generic {indexing_maps = [#vec, #vec], iterator_types = ["parallel"]} ins(%k : tensor<4xi64>) outs(%e : tensor<4xi64>) {
  ^bb0(%a: i64, %o: i64):
    %r = arith.andi %a, %five : i64
    linalg.yield %r : i64
  } -> tensor<4xi64>
  %or = linalg.generic {indexing_maps = [#vec, #vec], iterator_types = ["parallel"]} ins(%k : tensor<4xi64>) outs(%e : tensor<4xi64>) {
  ^bb0(%a: i64, %o: i64):
    %r = arith.ori %a, %three : i64
    linalg.yield %r : i64
  } -> tensor<4xi64>
  %floor = linalg.generic {indexing_maps = [#vec, #vec], iterator_types = ["parallel"]} ins(%f : tensor<4xf32>) outs(%e : tensor<4xi64>) {
  ^bb0(%a: f32, %o: i64):
    %h = arith.divf %a, %two : f32
    %d = math.floor %h : f32
    %r = arith.fptosi %d : f32 to i64
    linalg.yield %r : i64
  } -> tensor<4xi64>
  return %and, %or, %floor : tensor<4xi64>, tensor<4xi64>, tensor<4xi64>
}

// RUN: xsa-opt %s -allow-unregistered-dialect -xsa-legalize-scalars | FileCheck %s

// Computed in f32, rounded to the type's precision after each operation; bf16
// conversions are shifts.
// CHECK-LABEL: func.func @bfloat(
// CHECK:         arith.shli
// CHECK:         arith.addf %{{.*}} : f32
// CHECK-NOT:     arith.addf %{{.*}} : bf16
// CHECK-NOT:     arith.truncf
// CHECK-NOT:     arith.extf
// CHECK:         math.exp %{{.*}} : f32
func.func @bfloat(%x: bf16, %y: bf16) -> bf16 {
  %0 = arith.addf %x, %y : bf16
  %1 = math.exp %0 : bf16
  return %1 : bf16
}

// CHECK-LABEL: func.func @half_vector(
// CHECK:         arith.mulf %{{.*}} : vector<8xf32>
// CHECK:         arith.truncf %{{.*}} : vector<8xf32> to vector<8xf16>
func.func @half_vector(%x: vector<8xf16>) -> vector<8xf16> {
  %0 = arith.mulf %x, %x : vector<8xf16>
  return %0 : vector<8xf16>
}

// A maximum that propagates NaN is one operation for LLVM.
// CHECK-LABEL: func.func @maximum(
// CHECK:         arith.maximumf %{{.*}} : f32
func.func @maximum(%x: f32, %y: f32) -> f32 {
  %0 = arith.maximumf %x, %y : f32
  return %0 : f32
}

// CHECK-LABEL: func.func @ceildiv(
// CHECK-NOT:     arith.ceildivsi
func.func @ceildiv(%x: index, %y: index) -> index {
  %0 = arith.ceildivsi %x, %y : index
  return %0 : index
}

// A maximum that passes over NaN is comparisons: LLVM's vectorizer loses the
// last elements of short reductions otherwise.
// CHECK-LABEL: func.func @maxnum(
// CHECK-SAME:    %[[X:.*]]: f32, %[[Y:.*]]: f32, %[[V:.*]]: vector<8xf32>
// CHECK:         %[[GREATER:.*]] = arith.cmpf ugt, %[[X]], %[[Y]] : f32
// CHECK:         %[[MAX:.*]] = arith.select %[[GREATER]], %[[X]], %[[Y]] : f32
// CHECK:         %[[NAN:.*]] = arith.cmpf uno, %[[X]], %[[X]] : f32
// CHECK:         arith.select %[[NAN]], %[[Y]], %[[MAX]] : f32
// CHECK:         arith.maxnumf %[[V]], %[[V]] : vector<8xf32>
// CHECK:         arith.cmpf ult, %{{.*}} : f32
func.func @maxnum(%x: f32, %y: f32, %v: vector<8xf32>) -> (f32, vector<8xf32>, f32) {
  %0 = arith.maxnumf %x, %y : f32
  %1 = arith.maxnumf %v, %v : vector<8xf32>
  %2 = arith.minnumf %x, %y : f32
  return %0, %1, %2 : f32, vector<8xf32>, f32
}

// What nobody knows stays, in functions and beside them.
// CHECK-LABEL: func.func @unregistered(
// CHECK:         "foo.bar"
func.func @unregistered(%x: f32) {
  "foo.bar"(%x) ({
    "foo.inner"() : () -> ()
  }) : (f32) -> ()
  return
}
"foo.outer"() : () -> ()

// RUN: xsa-opt %s --xsa-lower-vector-math --split-input-file | FileCheck %s --check-prefixes=CHECK,PLAIN
// RUN: xsa-opt %s --xsa-lower-vector-math=avx512 --split-input-file | FileCheck %s --check-prefixes=CHECK,AVX512

// A polynomial of degree five, and the exponent by a shift; or a fraction, the
// polynomial, and the scale, each of one register.

// CHECK-LABEL: func.func @exp2(
// CHECK-SAME:    %[[X:.*]]: vector<16xf32>
// PLAIN:         arith.cmpf olt, %[[X]]
// PLAIN-COUNT-2: arith.cmpf ogt
// PLAIN-COUNT-5: math.fma
// PLAIN-NOT:     math.fma
// PLAIN:         arith.shli {{.*}} : vector<16xi32>
// PLAIN:         arith.mulf
// AVX512-DAG:    %[[DOWN:.*]] = llvm.mlir.constant(1 : i32)
// AVX512-DAG:    %[[ALL:.*]] = llvm.mlir.constant(-1 : i16)
// AVX512-DAG:    %[[CURRENT:.*]] = llvm.mlir.constant(4 : i32)
// AVX512:        %[[F:.*]] = llvm.call_intrinsic "llvm.x86.avx512.mask.reduce.ps.512"(%[[X]], %[[DOWN]], %[[X]], %[[ALL]], %[[CURRENT]])
// AVX512:        math.fma %{{.*}}, %[[F]]
// AVX512-COUNT-3: math.fma
// AVX512:        %[[P:.*]] = math.fma
// AVX512-NOT:    math.fma
// AVX512-DAG:    %[[LEAST:.*]] = arith.constant dense<-1.260000e+02> : vector<16xf32>
// AVX512-DAG:    %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<16xf32>
// AVX512-DAG:    %[[NORMAL:.*]] = arith.cmpf uge, %[[X]], %[[LEAST]]
// AVX512-DAG:    %[[MASK:.*]] = llvm.bitcast %[[NORMAL]] : vector<16xi1> to i16
// AVX512:        llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.ps.512"(%[[P]], %[[X]], %[[ZERO]], %[[MASK]],
// CHECK-NOT:     math.exp2
func.func @exp2(%x: vector<16xf32>) -> vector<16xf32> {
  %y = math.exp2 %x : vector<16xf32>
  return %y : vector<16xf32>
}

// -----

// Less is computed where less is asked for.

// CHECK-LABEL: func.func @hints(
// PLAIN:         arith.cmpf olt
// PLAIN-NOT:     arith.cmpf ogt
// CHECK-COUNT-3: math.fma
// CHECK-NOT:     math.fma
// CHECK:         return
func.func @hints(%x: vector<16xf32>) -> vector<16xf32> {
  %y = math.exp2 %x {xsa.bounded, xsa.rough} : vector<16xf32>
  return %y : vector<16xf32>
}

// -----

// Two registers, each by itself.

// CHECK-LABEL: func.func @two_registers(
// AVX512:         vector.extract_strided_slice {{.*}} {offsets = [0], sizes = [16]
// AVX512:         mask.reduce
// AVX512:         vector.extract_strided_slice {{.*}} {offsets = [16], sizes = [16]
// AVX512:         mask.reduce
// AVX512-COUNT-2: mask.scalef
func.func @two_registers(%x: vector<32xf32>) -> vector<32xf32> {
  %y = math.exp2 %x : vector<32xf32>
  return %y : vector<32xf32>
}

// -----

// What is no whole register, or f64, has arithmetic in any case.

// CHECK-LABEL: func.func @half(
// CHECK-NOT:     llvm.call_intrinsic
// CHECK:         arith.shli {{.*}} : vector<8xi32>
func.func @half(%x: vector<8xf32>) -> vector<8xf32> {
  %y = math.exp2 %x : vector<8xf32>
  return %y : vector<8xf32>
}

// CHECK-LABEL: func.func @matrix(
// CHECK-NOT:     llvm.call_intrinsic
// CHECK:         arith.shli {{.*}} : vector<2x16xi32>
func.func @matrix(%x: vector<2x16xf32>) -> vector<2x16xf32> {
  %y = math.exp2 %x : vector<2x16xf32>
  return %y : vector<2x16xf32>
}

// CHECK-LABEL: func.func @f64(
// CHECK-COUNT-13: math.fma
// CHECK:         arith.shli {{.*}} : vector<16xi64>
func.func @f64(%x: vector<16xf64>) -> vector<16xf64> {
  %y = math.exp2 %x : vector<16xf64>
  return %y : vector<16xf64>
}

// CHECK-LABEL: func.func @left_alone(
// CHECK-COUNT-2: math.exp2
func.func @left_alone(%x: vector<16xf16>, %y: f32) -> (vector<16xf16>, f32) {
  %z = math.exp2 %x : vector<16xf16>
  %w = math.exp2 %y : f32
  return %z, %w : vector<16xf16>, f32
}

// -----

// Halves of the lanes of two vectors, beside each other.

// CHECK-LABEL: func.func @join(
// CHECK-SAME:    %[[A:.*]]: vector<16xi32>, %[[B:.*]]: vector<16xi32>
// CHECK-DAG:     %[[MASK:.*]] = arith.constant dense<-65536>
// CHECK:         %[[LOW:.*]] = arith.shrui %[[A]]
// PLAIN:         arith.ori
// AVX512-NOT:    arith.ori
// AVX512:        %[[TABLE:.*]] = llvm.mlir.constant(248 : i32)
// AVX512:        llvm.call_intrinsic "llvm.x86.avx512.pternlog.d.512"(%[[LOW]], %[[B]], %[[MASK]], %[[TABLE]])
func.func @join(%a: vector<16xi32>, %b: vector<16xi32>) -> vector<16xi32> {
  %shift = arith.constant dense<16> : vector<16xi32>
  %mask = arith.constant dense<0xFFFF0000> : vector<16xi32>
  %low = arith.shrui %a, %shift : vector<16xi32>
  %high = arith.andi %b, %mask : vector<16xi32>
  %both = arith.ori %low, %high : vector<16xi32>
  return %both : vector<16xi32>
}

// CHECK-LABEL: func.func @unmasked(
// CHECK:         arith.ori
// CHECK-NOT:     llvm.call_intrinsic
// CHECK:         return
func.func @unmasked(%a: vector<16xi32>, %b: vector<16xi32>) -> vector<16xi32> {
  %both = arith.ori %a, %b : vector<16xi32>
  return %both : vector<16xi32>
}

// CHECK-LABEL: func.func @wide(
// CHECK:         arith.ori
// CHECK-NOT:     llvm.call_intrinsic
// CHECK:         return
func.func @wide(%a: vector<8xi64>, %b: vector<8xi64>, %c: vector<8xi64>) -> vector<8xi64> {
  %masked = arith.andi %b, %c : vector<8xi64>
  %both = arith.ori %a, %masked : vector<8xi64>
  return %both : vector<8xi64>
}

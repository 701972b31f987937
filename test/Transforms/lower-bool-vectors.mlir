// RUN: xsa-opt %s --xsa-lower-bool-vectors | FileCheck %s
// RUN: xsa-opt %s --xsa-lower-bool-vectors --convert-vector-to-llvm --convert-to-llvm --reconcile-unrealized-casts | FileCheck %s --check-prefix=LLVM

// CHECK-LABEL: func.func @transfers
// CHECK-SAME:    %[[FROM:[^:]*]]: memref<4x64xi1, strided<[128, 1], offset: ?>>, %[[TO:[^:]*]]: memref<64xi1>, %[[I:[^:]*]]: index
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant dense<0> : vector<16xi8>
// CHECK-DAG:     %[[PADDING:.*]] = arith.constant {{.*}} : i8
// CHECK-DAG:     %[[SOURCE:.*]] = builtin.unrealized_conversion_cast %[[FROM]] : {{.*}} to memref<4x64xi8, strided<[128, 1], offset: ?>>
// CHECK:         %[[BYTES:.*]] = vector.transfer_read %[[SOURCE]][%[[I]], %[[I]]], %[[PADDING]] {in_bounds = [true]} : memref<4x64xi8, strided<[128, 1], offset: ?>>, vector<16xi8>
// CHECK:         %[[BOOLS:.*]] = arith.cmpi ne, %[[BYTES]], %[[ZERO]] : vector<16xi8>
// CHECK-DAG:     %[[TARGET:.*]] = builtin.unrealized_conversion_cast %[[TO]] : memref<64xi1> to memref<64xi8>
// CHECK-DAG:     %[[OUT:.*]] = arith.extui %[[BOOLS]] : vector<16xi1> to vector<16xi8>
// CHECK:         vector.transfer_write %[[OUT]], %[[TARGET]][%[[I]]] {in_bounds = [true]} : vector<16xi8>, memref<64xi8>

// LLVM-LABEL:  llvm.func @transfers
// LLVM-NOT:      unrealized_conversion_cast
// LLVM:          llvm.load %{{.*}} : !llvm.ptr -> vector<16xi8>
// LLVM:          llvm.icmp "ne" %{{.*}} : vector<16xi8>
// LLVM:          llvm.store %{{.*}} : vector<16xi8>, !llvm.ptr
// LLVM-NOT:      unrealized_conversion_cast
func.func @transfers(%from: memref<4x64xi1, strided<[128, 1], offset: ?>>, %to: memref<64xi1>, %i: index) {
  %false = arith.constant false
  %bools = vector.transfer_read %from[%i, %i], %false {in_bounds = [true]}
      : memref<4x64xi1, strided<[128, 1], offset: ?>>, vector<16xi1>
  vector.transfer_write %bools, %to[%i] {in_bounds = [true]} : vector<16xi1>, memref<64xi1>
  return
}

// CHECK-LABEL: func.func @loads
// CHECK:         vector.load %{{.*}} : memref<64xi8>, vector<8xi8>
// CHECK:         arith.cmpi ne
// CHECK:         arith.extui
// CHECK:         vector.store %{{.*}} : memref<64xi8>, vector<8xi8>
func.func @loads(%from: memref<64xi1>, %to: memref<64xi1>, %i: index) {
  %bools = vector.load %from[%i] : memref<64xi1>, vector<8xi1>
  vector.store %bools, %to[%i] : memref<64xi1>, vector<8xi1>
  return
}

// Single bools have a byte already, and other types are left alone.

// CHECK-LABEL: func.func @others
// CHECK-NOT:     unrealized_conversion_cast
// CHECK:         return
func.func @others(%bools: memref<64xi1>, %bytes: memref<64xi8>, %i: index) -> (i1, vector<8xi8>) {
  %bool = memref.load %bools[%i] : memref<64xi1>
  memref.store %bool, %bools[%i] : memref<64xi1>
  %vector = vector.load %bytes[%i] : memref<64xi8>, vector<8xi8>
  return %bool, %vector : i1, vector<8xi8>
}

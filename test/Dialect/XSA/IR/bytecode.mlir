// RUN: xsa-opt %S/roundtrip.mlir --emit-bytecode -o %t.mlirbc
// RUN: xsa-opt %t.mlirbc -o %t.mlir
// RUN: xsa-opt %S/roundtrip.mlir | diff - %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir

// CHECK: xsa.attention
// CHECK: xsa.exclude

// RUN: not xsa-opt %s --xsa-import-to-linalg 2>&1 | FileCheck %s

// A resource of the wrong length is refused by the import too, one without data
// is not.
// CHECK-NOT: elided
// CHECK: wrong-size-resource.mlir:[[#@LINE+4]]:8: error: resource 'short' of type 'tensor<2x2xf32>' needs 16 bytes, got 8
// CHECK-NOT: error
func.func @main() -> (tensor<2xf32>, tensor<2x2xf32>) {
  %0 = arith.constant dense_resource<__elided__> : tensor<2xf32>
  %1 = arith.constant dense_resource<short> : tensor<2x2xf32>
  return %0, %1 : tensor<2xf32>, tensor<2x2xf32>
}

{-#
  dialect_resources: {
    builtin: {
      short: "0x040000000000803F00000040"
    }
  }
#-}

// RUN: xsa-opt %s --xsa-check-resources=require-data=true --verify-diagnostics

func.func @bad_resources() -> (tensor<2xf32>, tensor<2xf32>, tensor<2x2xf32>, tensor<2xf32>, tensor<9xi1>) {
  // expected-error @+1 {{resource '__elided__' has no data: it is elided or missing from the file}}
  %0 = arith.constant dense_resource<__elided__> : tensor<2xf32>
  // expected-error @+1 {{resource 'missing' has no data: it is elided or missing from the file}}
  %1 = arith.constant dense_resource<missing> : tensor<2xf32>
  // expected-error @+1 {{resource 'short' of type 'tensor<2x2xf32>' needs 16 bytes, got 8}}
  %2 = arith.constant dense_resource<short> : tensor<2x2xf32>
  %3 = arith.constant dense_resource<good> : tensor<2xf32>
  %4 = arith.constant dense_resource<packed> : tensor<9xi1>
  return %0, %1, %2, %3, %4 : tensor<2xf32>, tensor<2xf32>, tensor<2x2xf32>, tensor<2xf32>, tensor<9xi1>
}

{-#
  dialect_resources: {
    builtin: {
      good: "0x040000000000803F00000040",
      packed: "0x01000000FF01",
      short: "0x040000000000803F00000040"
    }
  }
#-}

// RUN: xsa-opt %s --split-input-file --verify-diagnostics

// In its own syntax an operation does not get past the parser, which says what
// to do instead. (Generic syntax: invalid.mlir.)

func.func @stablehlo(%a: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{cannot import operation 'stablehlo.add' of dialect 'stablehlo': run 'torch-mlir-opt --stablehlo-legalize-to-linalg' first}}
  %0 = stablehlo.add %a, %a : tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// What the legalization leaves behind is StableHLO too.
func.func @algorithm(%a: tensor<2x2xbf16>) -> tensor<2x2xf32> {
  // expected-error @+1 {{it leaves what it cannot convert, such as dots with an 'algorithm' clause}}
  %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = bf16> : (tensor<2x2xbf16>, tensor<2x2xbf16>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// -----

// expected-error @+1 {{cannot import type '!torch.vtensor<[2],f32>' of dialect 'torch': run 'torch-mlir-opt --torch-backend-to-linalg-on-tensors-backend-pipeline' first}}
func.func @torch(%a: !torch.vtensor<[2],f32>) {
  return
}

// -----

// expected-error @+1 {{cannot import operation 'util.func' of dialect 'util': import the model with torch-mlir; what IREE has made of it cannot be read}}
util.func public @iree(%a: tensor<2xf32>) {
}

// -----

// expected-error @+1 {{cannot import attribute '#stablehlo.bounds<4, ?>' of dialect 'stablehlo'}}
func.func @attribute(%a: tensor<?xf32, #stablehlo.bounds<4, ?>>) {
  return
}

// -----

// A name that an attribute begins with is no use of the dialect.
module attributes {mhlo.num_partitions = 1 : i32} {
}

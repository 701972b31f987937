// RUN: xsa-opt %s --xsa-import-to-linalg --allow-unregistered-dialect --split-input-file --verify-diagnostics

func.func @stablehlo(%a: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+2 {{cannot import operation 'stablehlo.add' of dialect 'stablehlo': run 'torch-mlir-opt --stablehlo-legalize-to-linalg' first}}
  // expected-note @+1 {{first of 2 operations of this dialect}}
  %0 = "stablehlo.add"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = "stablehlo.abs"(%0) : (tensor<2xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// -----

func.func @torch(%a: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{cannot import operation 'torch.aten.relu' of dialect 'torch': run 'torch-mlir-opt --torch-backend-to-linalg-on-tensors-backend-pipeline' first}}
  %0 = "torch.aten.relu"(%a) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @onnx(%a: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{cannot import operation 'onnx.Relu' of dialect 'onnx': import the ONNX model with torch-mlir's importer and take it to linalg there}}
  %0 = "onnx.Relu"(%a) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @other(%a: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{cannot import operation 'mine.relu' of dialect 'mine': bring it to linalg on tensors, or to TOSA, first}}
  %0 = "mine.relu"(%a) : (tensor<2xf32>) -> tensor<2xf32>
  // expected-error @+1 {{cannot import operation 'yours.relu' of dialect 'yours'}}
  %1 = "yours.relu"(%0) : (tensor<2xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// -----

func.func @tosa_custom(%a: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{cannot import operation 'tosa.custom' of dialect 'tosa': MLIR has no conversion to linalg for it}}
  %0 = tosa.custom %a {operator_name = "mine", domain_name = "d", implementation_attrs = ""} : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

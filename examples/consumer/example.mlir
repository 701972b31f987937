// What consumer-opt is run on:
//   consumer-opt example.mlir --consumer-append-exclusion
func.func @attend(%v: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32>
    attributes {consumer.exclude} {
  return %y : tensor<4x8xf32>
}

func.func @left_alone(%v: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  return %y : tensor<4x8xf32>
}

// RUN: xsa-opt %s --split-input-file --verify-diagnostics

func.func @scan_two_inputs(%x: tensor<2x8xi64>, %o: tensor<2x8xi64>, %a: tensor<2xi64>) {
  // expected-error @+1 {{expected number of inputs to be 1, got 2}}
  %r:2 = tm_tensor.scan dimension(1) inclusive(true)
      ins(%x, %x : tensor<2x8xi64>, tensor<2x8xi64>) outs(%o, %a : tensor<2x8xi64>, tensor<2xi64>) {
  ^bb0(%p: i64, %n: i64):
    tm_tensor.yield %p : i64
  } -> tensor<2x8xi64>, tensor<2xi64>
  return
}

// -----

func.func @scan_one_destination(%x: tensor<2x8xi64>, %o: tensor<2x8xi64>, %a: tensor<2xi64>) {
  // expected-error @+1 {{expected number of destinations to be 2, got 1}}
  %r = tm_tensor.scan dimension(1) inclusive(true)
      ins(%x : tensor<2x8xi64>) outs(%o : tensor<2x8xi64>) {
  ^bb0(%p: i64, %n: i64):
    tm_tensor.yield %p : i64
  } -> tensor<2x8xi64>
  return
}

// -----

func.func @scan_dimension(%x: tensor<2x8xi64>, %o: tensor<2x8xi64>, %a: tensor<2xi64>) {
  // expected-error @+1 {{'dimension' must be in [0, 2), got 2}}
  %r:2 = tm_tensor.scan dimension(2) inclusive(true)
      ins(%x : tensor<2x8xi64>) outs(%o, %a : tensor<2x8xi64>, tensor<2xi64>) {
  ^bb0(%p: i64, %n: i64):
    tm_tensor.yield %p : i64
  } -> tensor<2x8xi64>, tensor<2xi64>
  return
}

// -----

func.func @scan_negative_dimension(%x: tensor<2x8xi64>, %o: tensor<2x8xi64>, %a: tensor<2xi64>) {
  // expected-error @+1 {{'dimension' must be in [0, 2), got -1}}
  %r:2 = tm_tensor.scan dimension(-1) inclusive(true)
      ins(%x : tensor<2x8xi64>) outs(%o, %a : tensor<2x8xi64>, tensor<2xi64>) {
  ^bb0(%p: i64, %n: i64):
    tm_tensor.yield %p : i64
  } -> tensor<2x8xi64>, tensor<2xi64>
  return
}

// -----

func.func @scan_output_shape(%x: tensor<2x8xi64>, %o: tensor<2x9xi64>, %a: tensor<2xi64>) {
  // expected-error @+1 {{expected an output of shape 2x8, got 'tensor<2x9xi64>'}}
  %r:2 = tm_tensor.scan dimension(1) inclusive(true)
      ins(%x : tensor<2x8xi64>) outs(%o, %a : tensor<2x9xi64>, tensor<2xi64>) {
  ^bb0(%p: i64, %n: i64):
    tm_tensor.yield %p : i64
  } -> tensor<2x9xi64>, tensor<2xi64>
  return
}

// -----

func.func @scan_output_rank(%x: tensor<2x8xi64>, %o: tensor<8xi64>, %a: tensor<2xi64>) {
  // expected-error @+1 {{expected an output of shape 2x8, got 'tensor<8xi64>'}}
  %r:2 = tm_tensor.scan dimension(1) inclusive(true)
      ins(%x : tensor<2x8xi64>) outs(%o, %a : tensor<8xi64>, tensor<2xi64>) {
  ^bb0(%p: i64, %n: i64):
    tm_tensor.yield %p : i64
  } -> tensor<8xi64>, tensor<2xi64>
  return
}

// -----

func.func @scan_accumulator_shape(%x: tensor<2x8xi64>, %o: tensor<2x8xi64>, %a: tensor<8xi64>) {
  // expected-error @+1 {{expected an accumulator of shape 2, got 'tensor<8xi64>'}}
  %r:2 = tm_tensor.scan dimension(1) inclusive(true)
      ins(%x : tensor<2x8xi64>) outs(%o, %a : tensor<2x8xi64>, tensor<8xi64>) {
  ^bb0(%p: i64, %n: i64):
    tm_tensor.yield %p : i64
  } -> tensor<2x8xi64>, tensor<8xi64>
  return
}

// -----

func.func @scan_output_type(%x: tensor<2x8xi64>, %o: tensor<2x8xi32>, %a: tensor<2xi64>) {
  // expected-error @+1 {{expected an output with element type 'i64', got 'tensor<2x8xi32>'}}
  %r:2 = tm_tensor.scan dimension(1) inclusive(true)
      ins(%x : tensor<2x8xi64>) outs(%o, %a : tensor<2x8xi32>, tensor<2xi64>) {
  ^bb0(%p: i64, %n: i64):
    tm_tensor.yield %p : i64
  } -> tensor<2x8xi32>, tensor<2xi64>
  return
}

// -----

func.func @scan_accumulator_type(%x: tensor<2x8xi64>, %o: tensor<2x8xi64>, %a: tensor<2xf32>) {
  // expected-error @+1 {{expected an accumulator with element type 'i64', got 'tensor<2xf32>'}}
  %r:2 = tm_tensor.scan dimension(1) inclusive(true)
      ins(%x : tensor<2x8xi64>) outs(%o, %a : tensor<2x8xi64>, tensor<2xf32>) {
  ^bb0(%p: i64, %n: i64):
    tm_tensor.yield %p : i64
  } -> tensor<2x8xi64>, tensor<2xf32>
  return
}

// -----

func.func @scan_argument_count(%x: tensor<2x8xi64>, %o: tensor<2x8xi64>, %a: tensor<2xi64>) {
  // expected-error @+1 {{expected the region to have 2 arguments, got 1}}
  %r:2 = tm_tensor.scan dimension(1) inclusive(true)
      ins(%x : tensor<2x8xi64>) outs(%o, %a : tensor<2x8xi64>, tensor<2xi64>) {
  ^bb0(%p: i64):
    tm_tensor.yield %p : i64
  } -> tensor<2x8xi64>, tensor<2xi64>
  return
}

// -----

func.func @scan_argument_type(%x: tensor<2x8xi64>, %o: tensor<2x8xi64>, %a: tensor<2xi64>) {
  // expected-error @+1 {{expected argument #1 of the region to be 'i64', got 'i32'}}
  %r:2 = tm_tensor.scan dimension(1) inclusive(true)
      ins(%x : tensor<2x8xi64>) outs(%o, %a : tensor<2x8xi64>, tensor<2xi64>) {
  ^bb0(%p: i64, %n: i32):
    tm_tensor.yield %p : i64
  } -> tensor<2x8xi64>, tensor<2xi64>
  return
}

// -----

func.func @scan_yield_count(%x: tensor<2x8xi64>, %o: tensor<2x8xi64>, %a: tensor<2xi64>) {
  %r:2 = tm_tensor.scan dimension(1) inclusive(true)
      ins(%x : tensor<2x8xi64>) outs(%o, %a : tensor<2x8xi64>, tensor<2xi64>) {
  ^bb0(%p: i64, %n: i64):
    // expected-error @+1 {{expected one operand, got 2}}
    tm_tensor.yield %p, %n : i64, i64
  } -> tensor<2x8xi64>, tensor<2xi64>
  return
}

// -----

func.func @scan_yield_type(%x: tensor<2x8xi64>, %o: tensor<2x8xi64>, %a: tensor<2xi64>) {
  %r:2 = tm_tensor.scan dimension(1) inclusive(true)
      ins(%x : tensor<2x8xi64>) outs(%o, %a : tensor<2x8xi64>, tensor<2xi64>) {
  ^bb0(%p: i64, %n: i64):
    // expected-error @+1 {{expected an operand of type 'i64', got 'tensor<2x8xi64>'}}
    tm_tensor.yield %x : tensor<2x8xi64>
  } -> tensor<2x8xi64>, tensor<2xi64>
  return
}

// -----

func.func @scan_result_type(%x: tensor<2x8xi64>, %o: tensor<2x8xi64>, %a: tensor<2xi64>) {
  // expected-error @+1 {{expected type of operand #1 ('tensor<2x8xi64>') to match type of corresponding result ('tensor<2x?xi64>')}}
  %r:2 = tm_tensor.scan dimension(1) inclusive(true)
      ins(%x : tensor<2x8xi64>) outs(%o, %a : tensor<2x8xi64>, tensor<2xi64>) {
  ^bb0(%p: i64, %n: i64):
    tm_tensor.yield %p : i64
  } -> tensor<2x?xi64>, tensor<2xi64>
  return
}

// -----

func.func @scan_mixed(%x: memref<2x8xi64>, %o: tensor<2x8xi64>, %a: tensor<2xi64>) {
  // expected-error @+1 {{expected operands to be all tensors or all memrefs, but operand #0 is 'memref<2x8xi64>' and the first destination 'tensor<2x8xi64>'}}
  %r:2 = tm_tensor.scan dimension(1) inclusive(true)
      ins(%x : memref<2x8xi64>) outs(%o, %a : tensor<2x8xi64>, tensor<2xi64>) {
  ^bb0(%p: i64, %n: i64):
    tm_tensor.yield %p : i64
  } -> tensor<2x8xi64>, tensor<2xi64>
  return
}

// -----

func.func @scatter_indices_rank(%updates: tensor<2x3xf32>, %indices: tensor<2xi32>, %original: tensor<4x3xf32>) {
  // expected-error @+1 {{expected indices of rank 2 with signless integer or index elements, got 'tensor<2xi32>'}}
  %r = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(true)
      ins(%updates, %indices : tensor<2x3xf32>, tensor<2xi32>) outs(%original : tensor<4x3xf32>) {
  ^bb0(%u: f32, %c: f32):
    tm_tensor.yield %u : f32
  } -> tensor<4x3xf32>
  return
}

// -----

func.func @scatter_indices_type(%updates: tensor<2x3xf32>, %indices: tensor<2x1xf32>, %original: tensor<4x3xf32>) {
  // expected-error @+1 {{expected indices of rank 2 with signless integer or index elements, got 'tensor<2x1xf32>'}}
  %r = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(true)
      ins(%updates, %indices : tensor<2x3xf32>, tensor<2x1xf32>) outs(%original : tensor<4x3xf32>) {
  ^bb0(%u: f32, %c: f32):
    tm_tensor.yield %u : f32
  } -> tensor<4x3xf32>
  return
}

// -----

func.func @scatter_index_depth(%updates: tensor<2x3xf32>, %indices: tensor<2x?xi32>, %original: tensor<4x3xf32>) {
  // expected-error @+1 {{expected a static index depth (dimension 1 of the indices), got 'tensor<2x?xi32>'}}
  %r = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(true)
      ins(%updates, %indices : tensor<2x3xf32>, tensor<2x?xi32>) outs(%original : tensor<4x3xf32>) {
  ^bb0(%u: f32, %c: f32):
    tm_tensor.yield %u : f32
  } -> tensor<4x3xf32>
  return
}

// -----

func.func @scatter_updates_rank(%updates: tensor<f32>, %indices: tensor<2x1xi32>, %original: tensor<4x3xf32>) {
  // expected-error @+1 {{expected updates of rank at least 1, got 'tensor<f32>'}}
  %r = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(true)
      ins(%updates, %indices : tensor<f32>, tensor<2x1xi32>) outs(%original : tensor<4x3xf32>) {
  ^bb0(%u: f32, %c: f32):
    tm_tensor.yield %u : f32
  } -> tensor<4x3xf32>
  return
}

// -----

func.func @scatter_update_count(%updates: tensor<3x3xf32>, %indices: tensor<2x1xi32>, %original: tensor<4x3xf32>) {
  // expected-error @+1 {{expected as many updates as indices, got 'tensor<3x3xf32>' and 'tensor<2x1xi32>'}}
  %r = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(true)
      ins(%updates, %indices : tensor<3x3xf32>, tensor<2x1xi32>) outs(%original : tensor<4x3xf32>) {
  ^bb0(%u: f32, %c: f32):
    tm_tensor.yield %u : f32
  } -> tensor<4x3xf32>
  return
}

// -----

func.func @scatter_map_size(%updates: tensor<2x3xf32>, %indices: tensor<2x1xi32>, %original: tensor<4x3xf32>) {
  // expected-error @+1 {{expected 'dimension_map' to have one entry per index component, that is 1, got 2}}
  %r = tm_tensor.scatter {dimension_map = array<i64: 0, 1>} unique_indices(true)
      ins(%updates, %indices : tensor<2x3xf32>, tensor<2x1xi32>) outs(%original : tensor<4x3xf32>) {
  ^bb0(%u: f32, %c: f32):
    tm_tensor.yield %u : f32
  } -> tensor<4x3xf32>
  return
}

// -----

func.func @scatter_map_range(%updates: tensor<2x3xf32>, %indices: tensor<2x1xi32>, %original: tensor<4x3xf32>) {
  // expected-error @+1 {{entries of 'dimension_map' must be in [0, 2), got 2}}
  %r = tm_tensor.scatter {dimension_map = array<i64: 2>} unique_indices(true)
      ins(%updates, %indices : tensor<2x3xf32>, tensor<2x1xi32>) outs(%original : tensor<4x3xf32>) {
  ^bb0(%u: f32, %c: f32):
    tm_tensor.yield %u : f32
  } -> tensor<4x3xf32>
  return
}

// -----

func.func @scatter_map_twice(%updates: tensor<2x3xf32>, %indices: tensor<2x2xi32>, %original: tensor<4x3xf32>) {
  // expected-error @+1 {{'dimension_map' names dimension 1 twice}}
  %r = tm_tensor.scatter {dimension_map = array<i64: 1, 1>} unique_indices(true)
      ins(%updates, %indices : tensor<2x3xf32>, tensor<2x2xi32>) outs(%original : tensor<4x3xf32>) {
  ^bb0(%u: f32, %c: f32):
    tm_tensor.yield %u : f32
  } -> tensor<4x3xf32>
  return
}

// -----

func.func @scatter_window_rank(%updates: tensor<2x1x1x3xf32>, %indices: tensor<2x1xi32>, %original: tensor<4x3xf32>) {
  // expected-error @+1 {{expected updates of rank at most 3, got 'tensor<2x1x1x3xf32>'}}
  %r = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(true)
      ins(%updates, %indices : tensor<2x1x1x3xf32>, tensor<2x1xi32>) outs(%original : tensor<4x3xf32>) {
  ^bb0(%u: f32, %c: f32):
    tm_tensor.yield %u : f32
  } -> tensor<4x3xf32>
  return
}

// -----

func.func @scatter_does_not_cover(%updates: tensor<2xf32>, %indices: tensor<2x1xi32>, %original: tensor<4x3xf32>) {
  // expected-error @+1 {{expected index depth plus window rank to reach the rank of the original 2, got 1 + 0}}
  %r = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(true)
      ins(%updates, %indices : tensor<2xf32>, tensor<2x1xi32>) outs(%original : tensor<4x3xf32>) {
  ^bb0(%u: f32, %c: f32):
    tm_tensor.yield %u : f32
  } -> tensor<4x3xf32>
  return
}

// -----

func.func @scatter_window_extent(%updates: tensor<2x4xf32>, %indices: tensor<2x1xi32>, %original: tensor<4x3xf32>) {
  // expected-error @+1 {{dimension 1 of the updates has extent 4, which exceeds 3 in the original}}
  %r = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(true)
      ins(%updates, %indices : tensor<2x4xf32>, tensor<2x1xi32>) outs(%original : tensor<4x3xf32>) {
  ^bb0(%u: f32, %c: f32):
    tm_tensor.yield %u : f32
  } -> tensor<4x3xf32>
  return
}

// -----

func.func @scatter_element_type(%updates: tensor<2x3xf64>, %indices: tensor<2x1xi32>, %original: tensor<4x3xf32>) {
  // expected-error @+1 {{expected updates with element type 'f32', got 'tensor<2x3xf64>'}}
  %r = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(true)
      ins(%updates, %indices : tensor<2x3xf64>, tensor<2x1xi32>) outs(%original : tensor<4x3xf32>) {
  ^bb0(%u: f32, %c: f32):
    tm_tensor.yield %u : f32
  } -> tensor<4x3xf32>
  return
}

// -----

func.func @scatter_argument_type(%updates: tensor<2x3xf32>, %indices: tensor<2x1xi32>, %original: tensor<4x3xf32>) {
  // expected-error @+1 {{expected argument #0 of the region to be 'f32', got 'f64'}}
  %r = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(true)
      ins(%updates, %indices : tensor<2x3xf32>, tensor<2x1xi32>) outs(%original : tensor<4x3xf32>) {
  ^bb0(%u: f64, %c: f32):
    tm_tensor.yield %c : f32
  } -> tensor<4x3xf32>
  return
}

// -----

func.func @scatter_yield_type(%updates: tensor<2x3xf32>, %indices: tensor<2x1xi32>, %original: tensor<4x3xf32>) {
  %r = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(true)
      ins(%updates, %indices : tensor<2x3xf32>, tensor<2x1xi32>) outs(%original : tensor<4x3xf32>) {
  ^bb0(%u: f32, %c: f32):
    // expected-error @+1 {{expected an operand of type 'f32', got 'tensor<4x3xf32>'}}
    tm_tensor.yield %original : tensor<4x3xf32>
  } -> tensor<4x3xf32>
  return
}

// -----

func.func @attention_without_value(%q: tensor<4x12x8xf32>) {
  // expected-error @+1 {{expected number of inputs to be 3 or 4, got 2}}
  %r = tm_tensor.attention ins(%q, %q : tensor<4x12x8xf32>, tensor<4x12x8xf32>) outs(%q : tensor<4x12x8xf32>) -> tensor<4x12x8xf32>
  return
}

// -----

func.func @attention_query_rank(%q: tensor<8xf32>, %k: tensor<4x10x8xf32>, %v: tensor<4x10x6xf32>, %o: tensor<4x12x6xf32>) {
  // expected-error @+1 {{expected a query of rank at least 2, got 'tensor<8xf32>'}}
  %r = tm_tensor.attention ins(%q, %k, %v : tensor<8xf32>, tensor<4x10x8xf32>, tensor<4x10x6xf32>) outs(%o : tensor<4x12x6xf32>) -> tensor<4x12x6xf32>
  return
}

// -----

func.func @attention_key_rank(%q: tensor<4x12x8xf32>, %k: tensor<10x8xf32>, %v: tensor<4x10x6xf32>, %o: tensor<4x12x6xf32>) {
  // expected-error @+1 {{expected operands of rank 3, got 'tensor<10x8xf32>'}}
  %r = tm_tensor.attention ins(%q, %k, %v : tensor<4x12x8xf32>, tensor<10x8xf32>, tensor<4x10x6xf32>) outs(%o : tensor<4x12x6xf32>) -> tensor<4x12x6xf32>
  return
}

// -----

func.func @attention_element_type(%q: tensor<4x12x8xf32>, %k: tensor<4x10x8xi32>, %v: tensor<4x10x6xf32>, %o: tensor<4x12x6xf32>) {
  // expected-error @+1 {{expected operands with float elements, got 'tensor<4x10x8xi32>'}}
  %r = tm_tensor.attention ins(%q, %k, %v : tensor<4x12x8xf32>, tensor<4x10x8xi32>, tensor<4x10x6xf32>) outs(%o : tensor<4x12x6xf32>) -> tensor<4x12x6xf32>
  return
}

// -----

func.func @attention_key_depth(%q: tensor<4x12x8xf32>, %k: tensor<4x10x7xf32>, %v: tensor<4x10x6xf32>, %o: tensor<4x12x6xf32>) {
  // expected-error @+1 {{expected a key of shape 4x?x8, got 'tensor<4x10x7xf32>'}}
  %r = tm_tensor.attention ins(%q, %k, %v : tensor<4x12x8xf32>, tensor<4x10x7xf32>, tensor<4x10x6xf32>) outs(%o : tensor<4x12x6xf32>) -> tensor<4x12x6xf32>
  return
}

// -----

func.func @attention_batch(%q: tensor<4x12x8xf32>, %k: tensor<3x10x8xf32>, %v: tensor<4x10x6xf32>, %o: tensor<4x12x6xf32>) {
  // expected-error @+1 {{expected a key of shape 4x?x8, got 'tensor<3x10x8xf32>'}}
  %r = tm_tensor.attention ins(%q, %k, %v : tensor<4x12x8xf32>, tensor<3x10x8xf32>, tensor<4x10x6xf32>) outs(%o : tensor<4x12x6xf32>) -> tensor<4x12x6xf32>
  return
}

// -----

func.func @attention_value_rows(%q: tensor<4x12x8xf32>, %k: tensor<4x10x8xf32>, %v: tensor<4x11x6xf32>, %o: tensor<4x12x6xf32>) {
  // expected-error @+1 {{expected a value of shape 4x10x?, got 'tensor<4x11x6xf32>'}}
  %r = tm_tensor.attention ins(%q, %k, %v : tensor<4x12x8xf32>, tensor<4x10x8xf32>, tensor<4x11x6xf32>) outs(%o : tensor<4x12x6xf32>) -> tensor<4x12x6xf32>
  return
}

// -----

func.func @attention_output_shape(%q: tensor<4x12x8xf32>, %k: tensor<4x10x8xf32>, %v: tensor<4x10x6xf32>, %o: tensor<4x12x8xf32>) {
  // expected-error @+1 {{expected an output of shape 4x12x6, got 'tensor<4x12x8xf32>'}}
  %r = tm_tensor.attention ins(%q, %k, %v : tensor<4x12x8xf32>, tensor<4x10x8xf32>, tensor<4x10x6xf32>) outs(%o : tensor<4x12x8xf32>) -> tensor<4x12x8xf32>
  return
}

// -----

func.func @attention_mask_shape(%q: tensor<4x12x8xf32>, %k: tensor<4x10x8xf32>, %v: tensor<4x10x6xf32>, %m: tensor<4x1x10xi1>, %o: tensor<4x12x6xf32>) {
  // expected-error @+1 {{expected a mask of shape 4x12x10, got 'tensor<4x1x10xi1>'}}
  %r = tm_tensor.attention ins(%q, %k, %v, %m : tensor<4x12x8xf32>, tensor<4x10x8xf32>, tensor<4x10x6xf32>, tensor<4x1x10xi1>) outs(%o : tensor<4x12x6xf32>) -> tensor<4x12x6xf32>
  return
}

// -----

func.func @attention_mask_type(%q: tensor<4x12x8xf32>, %k: tensor<4x10x8xf32>, %v: tensor<4x10x6xf32>, %m: tensor<4x12x10xi8>, %o: tensor<4x12x6xf32>) {
  // expected-error @+1 {{expected a mask with i1 or float elements, got 'tensor<4x12x10xi8>'}}
  %r = tm_tensor.attention ins(%q, %k, %v, %m : tensor<4x12x8xf32>, tensor<4x10x8xf32>, tensor<4x10x6xf32>, tensor<4x12x10xi8>) outs(%o : tensor<4x12x6xf32>) -> tensor<4x12x6xf32>
  return
}

// -----

func.func @sort_with_inputs(%x: tensor<8xf32>) {
  // expected-error @+1 {{expected no input, got 1}}
  %r = tm_tensor.sort dimension(0) ins(%x : tensor<8xf32>) outs(%x : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.cmpf olt, %a, %b : f32
    tm_tensor.yield %c : i1
  } -> tensor<8xf32>
  return
}

// -----

func.func @sort_dimension(%x: tensor<2x8xf32>, %p: tensor<2x8xi64>, %t: i1) {
  // expected-error @+1 {{'dimension' must be in [0, 2), got 2}}
  %r:2 = tm_tensor.sort dimension(2) outs(%x, %p : tensor<2x8xf32>, tensor<2x8xi64>) {
  ^bb0(%a: f32, %b: f32, %ia: i64, %ib: i64):
    tm_tensor.yield %t : i1
  } -> tensor<2x8xf32>, tensor<2x8xi64>
  return
}

// -----

func.func @sort_shapes(%x: tensor<2x8xf32>, %p: tensor<2x7xi64>, %t: i1) {
  // expected-error @+1 {{expected destinations of shape 2x8, got 'tensor<2x7xi64>'}}
  %r:2 = tm_tensor.sort dimension(1) outs(%x, %p : tensor<2x8xf32>, tensor<2x7xi64>) {
  ^bb0(%a: f32, %b: f32, %ia: i64, %ib: i64):
    tm_tensor.yield %t : i1
  } -> tensor<2x8xf32>, tensor<2x7xi64>
  return
}

// -----

func.func @sort_argument_count(%x: tensor<2x8xf32>, %p: tensor<2x8xi64>, %t: i1) {
  // expected-error @+1 {{expected the region to have 4 arguments, got 2}}
  %r:2 = tm_tensor.sort dimension(1) outs(%x, %p : tensor<2x8xf32>, tensor<2x8xi64>) {
  ^bb0(%a: f32, %b: f32):
    tm_tensor.yield %t : i1
  } -> tensor<2x8xf32>, tensor<2x8xi64>
  return
}

// -----

func.func @sort_argument_type(%x: tensor<2x8xf32>, %p: tensor<2x8xi64>, %t: i1) {
  // expected-error @+1 {{expected argument #3 of the region to be 'i64', got 'i32'}}
  %r:2 = tm_tensor.sort dimension(1) outs(%x, %p : tensor<2x8xf32>, tensor<2x8xi64>) {
  ^bb0(%a: f32, %b: f32, %ia: i64, %ib: i32):
    tm_tensor.yield %t : i1
  } -> tensor<2x8xf32>, tensor<2x8xi64>
  return
}

// -----

func.func @sort_yield_type(%x: tensor<2x8xf32>, %p: tensor<2x8xi64>, %t: i1) {
  %r:2 = tm_tensor.sort dimension(1) outs(%x, %p : tensor<2x8xf32>, tensor<2x8xi64>) {
  ^bb0(%a: f32, %b: f32, %ia: i64, %ib: i64):
    // expected-error @+1 {{expected an operand of type 'i1', got 'f32'}}
    tm_tensor.yield %a : f32
  } -> tensor<2x8xf32>, tensor<2x8xi64>
  return
}

// -----

func.func @topk_three_inputs(%x0: tensor<2x8xf32>, %x1: tensor<2x8xf32>, %x2: tensor<2x8xf32>, %o: tensor<2x3xf32>, %p: tensor<2x3xi32>, %t: i1) {
  // expected-error @+1 {{expected number of inputs to be 1 or 2, got 3}}
  %r:2 = tm_tensor.topk dimension(1) ins(%x0, %x1, %x2 : tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>) outs(%o, %p : tensor<2x3xf32>, tensor<2x3xi32>) {
  ^bb0(%a: f32, %b: f32):
    tm_tensor.yield %t : i1
  } -> tensor<2x3xf32>, tensor<2x3xi32>
  return
}

// -----

func.func @topk_dimension(%x0: tensor<2x8xf32>, %o: tensor<2x3xf32>, %p: tensor<2x3xi32>, %t: i1) {
  // expected-error @+1 {{'dimension' must be in [0, 2), got 4}}
  %r:2 = tm_tensor.topk dimension(4) ins(%x0 : tensor<2x8xf32>) outs(%o, %p : tensor<2x3xf32>, tensor<2x3xi32>) {
  ^bb0(%a: f32, %b: f32):
    tm_tensor.yield %t : i1
  } -> tensor<2x3xf32>, tensor<2x3xi32>
  return
}

// -----

func.func @topk_output_shape(%x0: tensor<2x8xf32>, %o: tensor<4x3xf32>, %p: tensor<2x3xi32>, %t: i1) {
  // expected-error @+1 {{expected output values of shape 2x?, got 'tensor<4x3xf32>'}}
  %r:2 = tm_tensor.topk dimension(1) ins(%x0 : tensor<2x8xf32>) outs(%o, %p : tensor<4x3xf32>, tensor<2x3xi32>) {
  ^bb0(%a: f32, %b: f32):
    tm_tensor.yield %t : i1
  } -> tensor<4x3xf32>, tensor<2x3xi32>
  return
}

// -----

func.func @topk_output_positions(%x0: tensor<2x8xf32>, %o: tensor<2x3xf32>, %p: tensor<2x4xi32>, %t: i1) {
  // expected-error @+1 {{expected output positions of shape 2x3, got 'tensor<2x4xi32>'}}
  %r:2 = tm_tensor.topk dimension(1) ins(%x0 : tensor<2x8xf32>) outs(%o, %p : tensor<2x3xf32>, tensor<2x4xi32>) {
  ^bb0(%a: f32, %b: f32):
    tm_tensor.yield %t : i1
  } -> tensor<2x3xf32>, tensor<2x4xi32>
  return
}

// -----

func.func @topk_element_type(%x0: tensor<2x8xf32>, %o: tensor<2x3xf16>, %p: tensor<2x3xi32>, %t: i1) {
  // expected-error @+1 {{expected output values with element type 'f32', got 'tensor<2x3xf16>'}}
  %r:2 = tm_tensor.topk dimension(1) ins(%x0 : tensor<2x8xf32>) outs(%o, %p : tensor<2x3xf16>, tensor<2x3xi32>) {
  ^bb0(%a: f32, %b: f32):
    tm_tensor.yield %t : i1
  } -> tensor<2x3xf16>, tensor<2x3xi32>
  return
}

// -----

func.func @topk_position_type(%x0: tensor<2x8xf32>, %o: tensor<2x3xf32>, %p: tensor<2x3xi8>, %t: i1) {
  // expected-error @+1 {{expected positions with i32 or i64 elements, got 'tensor<2x3xi8>'}}
  %r:2 = tm_tensor.topk dimension(1) ins(%x0 : tensor<2x8xf32>) outs(%o, %p : tensor<2x3xf32>, tensor<2x3xi8>) {
  ^bb0(%a: f32, %b: f32):
    tm_tensor.yield %t : i1
  } -> tensor<2x3xf32>, tensor<2x3xi8>
  return
}

// -----

func.func @topk_input_positions(%x0: tensor<2x8xf32>, %x1: tensor<2x7xi32>, %o: tensor<2x3xf32>, %p: tensor<2x3xi32>, %t: i1) {
  // expected-error @+1 {{expected input positions of shape 2x8, got 'tensor<2x7xi32>'}}
  %r:2 = tm_tensor.topk dimension(1) ins(%x0, %x1 : tensor<2x8xf32>, tensor<2x7xi32>) outs(%o, %p : tensor<2x3xf32>, tensor<2x3xi32>) {
  ^bb0(%a: f32, %b: f32):
    tm_tensor.yield %t : i1
  } -> tensor<2x3xf32>, tensor<2x3xi32>
  return
}

// -----

func.func @topk_input_position_type(%x0: tensor<2x8xf32>, %x1: tensor<2x8xi64>, %o: tensor<2x3xf32>, %p: tensor<2x3xi32>, %t: i1) {
  // expected-error @+1 {{expected input positions with element type 'i32', got 'tensor<2x8xi64>'}}
  %r:2 = tm_tensor.topk dimension(1) ins(%x0, %x1 : tensor<2x8xf32>, tensor<2x8xi64>) outs(%o, %p : tensor<2x3xf32>, tensor<2x3xi32>) {
  ^bb0(%a: f32, %b: f32):
    tm_tensor.yield %t : i1
  } -> tensor<2x3xf32>, tensor<2x3xi32>
  return
}

// -----

func.func @topk_argument_type(%x0: tensor<2x8xf32>, %o: tensor<2x3xf32>, %p: tensor<2x3xi32>, %t: i1) {
  // expected-error @+1 {{expected argument #0 of the region to be 'f32', got 'i32'}}
  %r:2 = tm_tensor.topk dimension(1) ins(%x0 : tensor<2x8xf32>) outs(%o, %p : tensor<2x3xf32>, tensor<2x3xi32>) {
  ^bb0(%a: i32, %b: f32):
    tm_tensor.yield %t : i1
  } -> tensor<2x3xf32>, tensor<2x3xi32>
  return
}

// -----

func.func @topk_yield_type(%x0: tensor<2x8xf32>, %o: tensor<2x3xf32>, %p: tensor<2x3xi32>, %t: i1) {
  %r:2 = tm_tensor.topk dimension(1) ins(%x0 : tensor<2x8xf32>) outs(%o, %p : tensor<2x3xf32>, tensor<2x3xi32>) {
  ^bb0(%a: f32, %b: f32):
    // expected-error @+1 {{expected an operand of type 'i1', got 'f32'}}
    tm_tensor.yield %a : f32
  } -> tensor<2x3xf32>, tensor<2x3xi32>
  return
}

// -----

func.func @yield_elsewhere() {
  // expected-error @+1 {{expects parent op to be one of 'tm_tensor.scan, tm_tensor.scatter, tm_tensor.sort, tm_tensor.topk'}}
  tm_tensor.yield
}

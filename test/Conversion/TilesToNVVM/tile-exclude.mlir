// RUN: xsa-opt %s -xsa-tile-exclude-for-gpu="print-plan=true" -split-input-file -verify-diagnostics | FileCheck %s

#y = affine_map<(b, h, g, t, n) -> (b, t, h, g, n)>
#v = affine_map<(b, h, g, t, n) -> (b, t, h, n)>

// Rows run along the tokens; the heads of a group pass by a tile of own values,
// whose square is computed before the loop over them.

// CHECK-LABEL: func.func @grouped
// CHECK-SAME:    %[[Y:.*]]: tensor<2x300x2x4x64xbf16>, %[[V:.*]]: tensor<2x300x2x64xbf16>
// CHECK:         scf.forall (%[[B:.*]], %[[H:.*]], %[[T:.*]]) = (0, 0, 0) to (2, 2, 300) step (1, 1, 8)
// CHECK:           tensor.extract_slice %[[V]][%[[B]], %[[T]], %[[H]], 0]
// CHECK:           linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]
// CHECK:           scf.for
// CHECK:             linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]
// CHECK-NOT:         "reduction"
// CHECK:             tensor.insert_slice
// CHECK:             scf.yield
// CHECK:         } {xsa.kernel = #xsa.kernel<name = "grouped_exclude0", unit = none, warps = 2, stages = 1, query_in_registers = false, row_threads = 8, chunk = 8>}
func.func @grouped(%y: tensor<2x300x2x4x64xbf16>, %v: tensor<2x300x2x64xbf16>, %o: tensor<2x300x2x4x64xbf16>) -> tensor<2x300x2x4x64xbf16> {
  // expected-remark @+1 {{tile of 8 rows, 2 warps, 8 threads on a row, chunks of 8 elements; about 56 registers}}
  %z = xsa.exclude {exclusion = #xsa.exclusion<l2_clamp, eps = 1.0e-12>, indexing_maps = [#y, #v, #y]}
      ins(%y, %v : tensor<2x300x2x4x64xbf16>, tensor<2x300x2x64xbf16>)
      outs(%o : tensor<2x300x2x4x64xbf16>) -> tensor<2x300x2x4x64xbf16>
  return %z : tensor<2x300x2x4x64xbf16>
}

// -----

#y = affine_map<(t, n) -> (t, n)>

// More rows in a thread where there are enough for the chip.

func.func @long(%y: tensor<100000x64xf16>, %v: tensor<100000x64xf16>, %o: tensor<100000x64xf16>) -> tensor<100000x64xf16> {
  // expected-remark @+1 {{tile of 32 rows, 4 warps, 8 threads on a row, chunks of 8 elements; about 72 registers}}
  %z = xsa.exclude {exclusion = #xsa.exclusion<raw>, indexing_maps = [#y, #y, #y]}
      ins(%y, %v : tensor<100000x64xf16>, tensor<100000x64xf16>)
      outs(%o : tensor<100000x64xf16>) -> tensor<100000x64xf16>
  return %z : tensor<100000x64xf16>
}

// -----

#y = affine_map<(t, n) -> (t, n)>

// A chunk divides a row.

func.func @odd(%y: tensor<?x100xf16>, %v: tensor<?x100xf16>, %o: tensor<?x100xf16>) -> tensor<?x100xf16> {
  // expected-remark @+1 {{32 threads on a row, chunks of 4 elements}}
  %z = xsa.exclude {exclusion = #xsa.exclusion<raw>, indexing_maps = [#y, #y, #y]}
      ins(%y, %v : tensor<?x100xf16>, tensor<?x100xf16>)
      outs(%o : tensor<?x100xf16>) -> tensor<?x100xf16>
  return %z : tensor<?x100xf16>
}

// -----

#y = affine_map<(t, n) -> (n, t)>

// Where rows are neighbours in memory, threads are on as many as fill a sector.

func.func @transposed(%y: tensor<64x512xf16>, %v: tensor<64x512xf16>, %o: tensor<64x512xf16>) -> tensor<64x512xf16> {
  // expected-remark @+1 {{2 threads on a row, chunks of 1 elements}}
  %z = xsa.exclude {exclusion = #xsa.exclusion<raw>, indexing_maps = [#y, #y, #y]}
      ins(%y, %v : tensor<64x512xf16>, tensor<64x512xf16>)
      outs(%o : tensor<64x512xf16>) -> tensor<64x512xf16>
  return %z : tensor<64x512xf16>
}

// -----

#y = affine_map<(t, n) -> (t, n)>

// CHECK-LABEL: func.func @f64
// CHECK:         xsa.exclude
func.func @f64(%y: tensor<64x64xf64>, %v: tensor<64x64xf64>, %o: tensor<64x64xf64>) -> tensor<64x64xf64> {
  // expected-warning @+1 {{left to the host: no kernel for f64}}
  %z = xsa.exclude {exclusion = #xsa.exclusion<raw>, indexing_maps = [#y, #y, #y]}
      ins(%y, %v : tensor<64x64xf64>, tensor<64x64xf64>)
      outs(%o : tensor<64x64xf64>) -> tensor<64x64xf64>
  return %z : tensor<64x64xf64>
}

// CHECK-LABEL: func.func @dynamic_depth
// CHECK:         xsa.exclude
func.func @dynamic_depth(%y: tensor<64x?xf16>, %v: tensor<64x?xf16>, %o: tensor<64x?xf16>) -> tensor<64x?xf16> {
  // expected-warning @+1 {{left to the host: no kernel for a dynamic value depth}}
  %z = xsa.exclude {exclusion = #xsa.exclusion<raw>, indexing_maps = [#y, #y, #y]}
      ins(%y, %v : tensor<64x?xf16>, tensor<64x?xf16>)
      outs(%o : tensor<64x?xf16>) -> tensor<64x?xf16>
  return %z : tensor<64x?xf16>
}

// CHECK-LABEL: func.func @deep
// CHECK:         xsa.exclude
func.func @deep(%y: tensor<64x65536xf16>, %v: tensor<64x65536xf16>, %o: tensor<64x65536xf16>) -> tensor<64x65536xf16> {
  // expected-warning @+1 {{left to the host: no kernel for a value depth of 65536}}
  %z = xsa.exclude {exclusion = #xsa.exclusion<raw>, indexing_maps = [#y, #y, #y]}
      ins(%y, %v : tensor<64x65536xf16>, tensor<64x65536xf16>)
      outs(%o : tensor<64x65536xf16>) -> tensor<64x65536xf16>
  return %z : tensor<64x65536xf16>
}

// -----

#n = affine_map<(n) -> (n)>

// CHECK-LABEL: func.func @single_row
// CHECK:         xsa.exclude
func.func @single_row(%y: tensor<64xf16>, %v: tensor<64xf16>, %o: tensor<64xf16>) -> tensor<64xf16> {
  // expected-warning @+1 {{left to the host: no kernel for a single row}}
  %z = xsa.exclude {exclusion = #xsa.exclusion<raw>, indexing_maps = [#n, #n, #n]}
      ins(%y, %v : tensor<64xf16>, tensor<64xf16>)
      outs(%o : tensor<64xf16>) -> tensor<64xf16>
  return %z : tensor<64xf16>
}

// -----

#y = affine_map<(b, h, t, n) -> (b, t, h, n)>
#s = affine_map<(b, h, t, n) -> (h)>

// Rows of 80 bytes share sectors with their neighbours: tokens and heads, which
// stand side by side, are rows together.

// CHECK-LABEL: func.func @neighbours
// CHECK-SAME:    %[[Y:[a-z0-9]+]]: tensor<2x300x3x40xf16>, %[[V:[a-z0-9]+]]: tensor<2x300x3x40xf16>
// CHECK:         %[[YT:.*]] = tensor.collapse_shape %[[Y]] {{\[}}[0, 1], [2], [3]] : tensor<2x300x3x40xf16> into tensor<600x3x40xf16>
// CHECK:         %[[YS:.*]] = tensor.collapse_shape %[[YT]] {{\[}}[0, 1], [2]] : tensor<600x3x40xf16> into tensor<1800x40xf16>
// CHECK:         scf.forall (%{{.*}}) = (0) to (1800) step (
// CHECK:           tensor.extract_slice %[[YS]]
// CHECK:         tensor.expand_shape {{.*}} : tensor<1800x40xf16> into tensor<600x3x40xf16>
// CHECK:         tensor.expand_shape {{.*}} : tensor<600x3x40xf16> into tensor<2x300x3x40xf16>
func.func @neighbours(%y: tensor<2x300x3x40xf16>, %v: tensor<2x300x3x40xf16>, %o: tensor<2x300x3x40xf16>) -> tensor<2x300x3x40xf16> {
  // expected-remark @+1 {{8 threads on a row, chunks of 8 elements}}
  %z = xsa.exclude {exclusion = #xsa.exclusion<raw>, indexing_maps = [#y, #y, #y]}
      ins(%y, %v : tensor<2x300x3x40xf16>, tensor<2x300x3x40xf16>)
      outs(%o : tensor<2x300x3x40xf16>) -> tensor<2x300x3x40xf16>
  return %z : tensor<2x300x3x40xf16>
}

// Not where sectors are whole by themselves, where an operand has one of the
// dimensions alone (but batch and tokens then), or where one is a slice, of
// which a view may be a copy.

// CHECK-LABEL: func.func @whole_sectors
// CHECK-NOT:     collapse_shape
// CHECK-LABEL: func.func @strength_of_heads
// CHECK:         tensor.collapse_shape %{{.*}} {{\[}}[0, 1], [2], [3]]
// CHECK-NOT:     tensor<1800x40xf16>
// CHECK-LABEL: func.func @slice
// CHECK-NOT:     collapse_shape
func.func @whole_sectors(%y: tensor<2x300x3x48xf16>, %v: tensor<2x300x3x48xf16>, %o: tensor<2x300x3x48xf16>) -> tensor<2x300x3x48xf16> {
  // expected-remark @+1 {{threads on a row}}
  %z = xsa.exclude {exclusion = #xsa.exclusion<raw>, indexing_maps = [#y, #y, #y]}
      ins(%y, %v : tensor<2x300x3x48xf16>, tensor<2x300x3x48xf16>)
      outs(%o : tensor<2x300x3x48xf16>) -> tensor<2x300x3x48xf16>
  return %z : tensor<2x300x3x48xf16>
}

func.func @strength_of_heads(%y: tensor<2x300x3x40xf16>, %v: tensor<2x300x3x40xf16>, %s: tensor<3xf32>, %o: tensor<2x300x3x40xf16>) -> tensor<2x300x3x40xf16> {
  // expected-remark @+1 {{threads on a row}}
  %z = xsa.exclude {exclusion = #xsa.exclusion<raw>, indexing_maps = [#y, #y, #s, #y]}
      ins(%y, %v : tensor<2x300x3x40xf16>, tensor<2x300x3x40xf16>) strength(%s : tensor<3xf32>)
      outs(%o : tensor<2x300x3x40xf16>) -> tensor<2x300x3x40xf16>
  return %z : tensor<2x300x3x40xf16>
}

func.func @slice(%y: tensor<2x300x3x40xf16>, %qkv: tensor<2x300x9x40xf16>, %o: tensor<2x300x3x40xf16>) -> tensor<2x300x3x40xf16> {
  %v = tensor.extract_slice %qkv[0, 0, 6, 0] [2, 300, 3, 40] [1, 1, 1, 1] : tensor<2x300x9x40xf16> to tensor<2x300x3x40xf16>
  // expected-remark @+1 {{threads on a row}}
  %z = xsa.exclude {exclusion = #xsa.exclusion<raw>, indexing_maps = [#y, #y, #y]}
      ins(%y, %v : tensor<2x300x3x40xf16>, tensor<2x300x3x40xf16>)
      outs(%o : tensor<2x300x3x40xf16>) -> tensor<2x300x3x40xf16>
  return %z : tensor<2x300x3x40xf16>
}

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

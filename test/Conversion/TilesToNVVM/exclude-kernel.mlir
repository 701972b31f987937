// RUN: xsa-opt %s -xsa-tile-exclude-for-gpu -xsa-tiles-to-vectors | FileCheck %s --check-prefix=VECTOR
// RUN: xsa-opt %s -xsa-lower-to-nvvm-pipeline="format=mlir" -mlir-print-ir-after=xsa-assign-layouts 2>&1 | FileCheck %s --check-prefix=LAYOUT
// RUN: xsa-opt %s -xsa-lower-to-nvvm-pipeline="format=mlir" | FileCheck %s --check-prefix=THREAD

#y = affine_map<(h, g, t, n) -> (h, g, t, n)>
#v = affine_map<(h, g, t, n) -> (h, t, n)>

// VECTOR-LABEL: func.func @main
// VECTOR:         scf.forall
// VECTOR:           %[[V:.*]] = vector.transfer_read {{.*}}, vector<[[ROWS:.*]]x64xf16>
// VECTOR:           vector.multi_reduction <add>
// VECTOR:           scf.for
// VECTOR:             vector.transfer_read {{.*}}, vector<[[ROWS]]x64xf16>
// VECTOR:             vector.multi_reduction <add>
// VECTOR-NOT:         vector.multi_reduction
// VECTOR:             vector.transfer_write

// The result is seen to be written although a loop carries it.

// LAYOUT:       gpu.func @main_exclude0
// LAYOUT-SAME:    {xsa.access = "write"}
// LAYOUT:         vector.transfer_read {{.*}} {{{.*}}xsa.layout = #xsa.layout<row_chunk>}
// LAYOUT:         vector.multi_reduction <add>, {{.*}} {xsa.layout = #xsa.layout<row>}
// LAYOUT:         vector.transfer_write {{.*}} {{{.*}}xsa.layout = #xsa.layout<row_chunk>}

// Accesses of 16 bytes, a row's sums by shuffles among its eight lanes, nothing
// shared and nobody to wait for.

// THREAD-NOT:   nvvm.barrier
// THREAD:       llvm.func @main_exclude0
// THREAD-NOT:     llvm.load {{.*}} -> f16
// THREAD:         llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xf16>
// THREAD:         nvvm.shfl.sync bfly
// THREAD:         nvvm.shfl.sync bfly
// THREAD:         nvvm.shfl.sync bfly
// THREAD:         llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xf16>
// THREAD:         llvm.store %{{.*}} {alignment = 16 : i64} : vector<8xf16>, !llvm.ptr<1>
// THREAD-NOT:     nvvm.barrier
// THREAD:         llvm.return
func.func @main(%y: tensor<2x4x300x64xf16>, %v: tensor<2x300x64xf16>) -> tensor<2x4x300x64xf16> {
  %init = tensor.empty() : tensor<2x4x300x64xf16>
  %z = xsa.exclude {exclusion = #xsa.exclusion<l2_clamp, eps = 1.0e-12>, indexing_maps = [#y, #v, #y]}
      ins(%y, %v : tensor<2x4x300x64xf16>, tensor<2x300x64xf16>)
      outs(%init : tensor<2x4x300x64xf16>) -> tensor<2x4x300x64xf16>
  return %z : tensor<2x4x300x64xf16>
}

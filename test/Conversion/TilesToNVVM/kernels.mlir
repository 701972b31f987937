// RUN: xsa-opt %s -xsa-outline-kernels | FileCheck %s --check-prefix=OUTLINE
// RUN: xsa-opt %s -pass-pipeline='builtin.module(xsa-outline-kernels,gpu.module(gpu.func(xsa-assign-layouts)))' | FileCheck %s --check-prefix=LAYOUT
// RUN: xsa-opt %s -pass-pipeline='builtin.module(xsa-outline-kernels,gpu.module(gpu.func(xsa-assign-layouts)),xsa-stage-tiles)' | FileCheck %s --check-prefix=STAGE
// RUN: xsa-opt %s -pass-pipeline='builtin.module(xsa-outline-kernels,gpu.module(gpu.func(xsa-assign-layouts)),xsa-stage-tiles,gpu.module(gpu.func(xsa-distribute-tiles)))' | FileCheck %s --check-prefix=THREAD

#rows = affine_map<(m, n, k) -> (m, k)>
#transposed = affine_map<(m, n, k) -> (n, k)>
#plain = affine_map<(m, n, k) -> (k, n)>
#result = affine_map<(m, n, k) -> (m, n)>

// Two products with a row sum between them, over tiles of keys.

// OUTLINE-LABEL: func.func @products
// OUTLINE:         gpu.launch_func @xsa_kernels::@twice blocks in (%{{.*}}, %{{.*}}, %{{.*}}) threads in (%{{.*}}, %{{.*}}, %{{.*}})
// OUTLINE:       gpu.func @twice(%{{.*}}: memref<32x16xf16> {xsa.access = "read"}
// OUTLINE-SAME:    {xsa.access = "write"}
// OUTLINE-SAME:    kernel
// OUTLINE:         gpu.block_id x

// LAYOUT:        vector.transfer_read {{.*}} {{{.*}}xsa.layout = #xsa.layout<lhs>}
// LAYOUT:        scf.for
// LAYOUT:          vector.transfer_read {{.*}} {{{.*}}xsa.layout = #xsa.layout<rhs>}
// LAYOUT:          vector.contract {{{.*}}xsa.layout = #xsa.layout<accumulator>}
// LAYOUT:          vector.multi_reduction <add>, {{.*}} {xsa.layout = #xsa.layout<partial_row>}
// LAYOUT:        vector.transfer_write {{.*}} {{{.*}}xsa.layout = #xsa.layout<accumulator>}

// The first tile before the loop; in it wait, barrier, next tile, work.

// STAGE-LABEL:   func.func @products
// STAGE:           %[[BYTES:.*]] = arith.constant 2560 : i32
// STAGE:           gpu.launch_func {{.*}} dynamic_shared_memory_size %[[BYTES]]
// STAGE-LABEL:   gpu.func @twice
// STAGE:           gpu.dynamic_shared_memory
// STAGE:           vector.transfer_write {{.*}} {{{.*}}xsa.async{{.*}}}
// STAGE:           nvvm.cp.async.commit.group
// STAGE:           scf.if
// STAGE:           nvvm.cp.async.commit.group
// STAGE:           nvvm.cp.async.wait.group 1
// STAGE-NEXT:      gpu.barrier
// STAGE:           scf.for {{.*}} -> (vector<16x16xf32>, vector<16xf32>, index)
// STAGE-NEXT:        nvvm.cp.async.wait.group 0
// STAGE-NEXT:        gpu.barrier
// STAGE:             scf.if
// STAGE:             nvvm.cp.async.commit.group
// STAGE:             vector.contract
// Every copy has been waited for in the loop.
// STAGE-NOT:       nvvm.cp.async
// STAGE:           gpu.return

// THREAD-LABEL:  gpu.func @twice
// THREAD-SAME:     nvvm.minctasm = 1 : i32
// THREAD:          gpu.thread_id x
// THREAD:          nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 16, cache = cg
// THREAD:          nvvm.ldmatrix {{.*}} layout = #nvvm.mma_layout<row>
// THREAD:          scf.for {{.*}} -> (f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, index)
// THREAD:            nvvm.ldmatrix {{.*}} layout = #nvvm.mma_layout<row>
// THREAD-COUNT-2:    nvvm.mma.sync
// THREAD:            nvvm.convert.f32x2.to.f16x2
// THREAD:            nvvm.ldmatrix {{.*}} layout = #nvvm.mma_layout<col>
// THREAD-COUNT-2:    nvvm.mma.sync
// THREAD-NOT:        nvvm.mma.sync
// THREAD-NOT:        nvvm.shfl.sync
// THREAD:            scf.yield
// The sum of a row is added up after the loop.
// THREAD:          nvvm.shfl.sync bfly
// THREAD-NOT:      vector<16
// THREAD:          gpu.return
func.func @products(%q: memref<32x16xf16>, %k: memref<64x16xf16>, %v: memref<64x16xf16>, %o: memref<32x16xf32>) {
  scf.forall (%i) = (0) to (32) step (16) {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0.0 : f16
    %acc = arith.constant dense<0.0> : vector<16x16xf32>
    %row = arith.constant dense<0.0> : vector<16xf32>
    %qs = memref.subview %q[%i, 0] [16, 16] [1, 1] : memref<32x16xf16> to memref<16x16xf16, strided<[16, 1], offset: ?>>
    %qv = vector.transfer_read %qs[%c0, %c0], %zero {in_bounds = [true, true]} : memref<16x16xf16, strided<[16, 1], offset: ?>>, vector<16x16xf16>
    %r:2 = scf.for %j = %c0 to %c64 step %c16 iter_args(%y = %acc, %l = %row) -> (vector<16x16xf32>, vector<16xf32>) {
      %ks = memref.subview %k[%j, 0] [16, 16] [1, 1] : memref<64x16xf16> to memref<16x16xf16, strided<[16, 1], offset: ?>>
      %kv = vector.transfer_read %ks[%c0, %c0], %zero {in_bounds = [true, true]} : memref<16x16xf16, strided<[16, 1], offset: ?>>, vector<16x16xf16>
      %s = vector.contract {indexing_maps = [#rows, #transposed, #result], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
          %qv, %kv, %acc : vector<16x16xf16>, vector<16x16xf16> into vector<16x16xf32>
      %l1 = vector.multi_reduction <add>, %s, %l [1] : vector<16x16xf32> to vector<16xf32>
      %p = arith.truncf %s : vector<16x16xf32> to vector<16x16xf16>
      %vs = memref.subview %v[%j, 0] [16, 16] [1, 1] : memref<64x16xf16> to memref<16x16xf16, strided<[16, 1], offset: ?>>
      %vv = vector.transfer_read %vs[%c0, %c0], %zero {in_bounds = [true, true]} : memref<16x16xf16, strided<[16, 1], offset: ?>>, vector<16x16xf16>
      %y1 = vector.contract {indexing_maps = [#rows, #plain, #result], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
          %p, %vv, %y : vector<16x16xf16>, vector<16x16xf16> into vector<16x16xf32>
      scf.yield %y1, %l1 : vector<16x16xf32>, vector<16xf32>
    }
    %l = vector.shape_cast %r#1 : vector<16xf32> to vector<16x1xf32>
    %lb = vector.broadcast %l : vector<16x1xf32> to vector<16x16xf32>
    %z = arith.divf %r#0, %lb : vector<16x16xf32>
    %os = memref.subview %o[%i, 0] [16, 16] [1, 1] : memref<32x16xf32> to memref<16x16xf32, strided<[16, 1], offset: ?>>
    vector.transfer_write %z, %os[%c0, %c0] {in_bounds = [true, true]} : vector<16x16xf32>, memref<16x16xf32, strided<[16, 1], offset: ?>>
  } {xsa.kernel = #xsa.kernel<name = "twice", unit = mma_sync, warps = 1, stages = 2, query_in_registers = true>}
  return
}

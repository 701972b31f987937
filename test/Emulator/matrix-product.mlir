// REQUIRES: execution, numpy
// A matrix product on tensor cores, written by hand in the NVVM dialect: tiles
// of 16 x 16 by asynchronous copies into shared memory in two stages, ldmatrix,
// mma.sync with f16 inputs and f32 sums.
//
// RUN: %python -c "import numpy as np; r = np.random.default_rng(0); np.savez('%t.npz', arg0=r.standard_normal((32, 64)).astype(np.float16), arg1=r.standard_normal((64, 24)).astype(np.float16))"
// RUN: xsa-run %s --target emulator --inputs %t.npz --outputs %t.out.npz --stats %t.json
// RUN: FileCheck %s --input-file %t.json
// RUN: %python -c "import numpy as np; x = np.load('%t.npz'); want = x['arg0'].astype(np.float64) @ x['arg1'].astype(np.float64); got = np.load('%t.out.npz')['out0']; assert abs(got - want).max() < 1e-4, abs(got - want).max()"

// 2 x 3 blocks of one warp; each loads 4 tiles of 16 x 16 and of 16 x 8.
// CHECK:      "name": "product"
// CHECK:      "grid": [
// CHECK-NEXT:   2,
// CHECK-NEXT:   3,
// CHECK-NEXT:   1
// CHECK:      "mma": 24,
// CHECK-NEXT: "global_load_bytes": 18432,
// CHECK-NEXT: "global_store_bytes": 3072,
// CHECK-NEXT: "global_load_sectors": 768,
// CHECK-NEXT: "global_store_sectors": 96,
// Rows of 32 bytes, not swizzled: 4 rows of each matrix share their banks with
// the other 4.
// CHECK-NEXT: "shared_bank_conflicts": {{[1-9][0-9]*}},
// Seven per block.
// CHECK-NEXT: "barriers": 42

module attributes {gpu.container_module} {
  gpu.module @kernels {
    llvm.mlir.global internal @a_tile() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<512 x f16>
    llvm.mlir.global internal @b_tile() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<256 x f16>

    // Copies the tiles of step %step into stage %stage, 16 bytes per lane: a has
    // 16 rows of 2 chunks, b 16 rows of one, for which lanes 16 to 31 copy none.
    llvm.func internal @load(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %lane: i32, %row0: i32, %col0: i32, %step: i32, %stage: i32) {
      %c1 = llvm.mlir.constant(1 : i32) : i32
      %c8 = llvm.mlir.constant(8 : i32) : i32
      %c16 = llvm.mlir.constant(16 : i32) : i32
      %c24 = llvm.mlir.constant(24 : i32) : i32
      %c64 = llvm.mlir.constant(64 : i32) : i32
      %c128 = llvm.mlir.constant(128 : i32) : i32
      %c256 = llvm.mlir.constant(256 : i32) : i32
      %k0 = llvm.mul %step, %c16 : i32

      %row = llvm.lshr %lane, %c1 : i32
      %chunk = llvm.and %lane, %c1 : i32
      %col = llvm.mul %chunk, %c8 : i32
      %grow = llvm.add %row0, %row : i32
      %gcol = llvm.add %k0, %col : i32
      %gline = llvm.mul %grow, %c64 : i32
      %gindex = llvm.add %gline, %gcol : i32
      %src = llvm.getelementptr %a[%gindex] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f16
      %a_shared = llvm.mlir.addressof @a_tile : !llvm.ptr<3>
      %line = llvm.mul %row, %c16 : i32
      %index = llvm.add %line, %col : i32
      %start = llvm.mul %stage, %c256 : i32
      %offset = llvm.add %start, %index : i32
      %dst = llvm.getelementptr %a_shared[%offset] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f16
      nvvm.cp.async.shared.global %dst, %src, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>

      %copies = llvm.icmp "ult" %lane, %c16 : i32
      llvm.cond_br %copies, ^b, ^end
    ^b:
      %brow = llvm.add %k0, %lane : i32
      %bline = llvm.mul %brow, %c24 : i32
      %bindex = llvm.add %bline, %col0 : i32
      %bsrc = llvm.getelementptr %b[%bindex] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f16
      %b_shared = llvm.mlir.addressof @b_tile : !llvm.ptr<3>
      %bl = llvm.mul %lane, %c8 : i32
      %bstart = llvm.mul %stage, %c128 : i32
      %boffset = llvm.add %bstart, %bl : i32
      %bdst = llvm.getelementptr %b_shared[%boffset] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f16
      nvvm.cp.async.shared.global %bdst, %bsrc, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
      llvm.br ^end
    ^end:
      nvvm.cp.async.commit.group
      llvm.return
    }

    llvm.func @product(%aa: !llvm.ptr<1> {xsa.access = "read"}, %a: !llvm.ptr<1>, %a2: i64, %a3: i64, %a4: i64, %a5: i64, %a6: i64,
                       %ba: !llvm.ptr<1> {xsa.access = "read"}, %b: !llvm.ptr<1>, %b2: i64, %b3: i64, %b4: i64, %b5: i64, %b6: i64,
                       %ca: !llvm.ptr<1> {xsa.access = "write"}, %c: !llvm.ptr<1>, %cc2: i64, %cc3: i64, %cc4: i64, %cc5: i64, %cc6: i64)
        attributes {gpu.kernel, nvvm.kernel} {
      %c0 = llvm.mlir.constant(0 : i32) : i32
      %c1 = llvm.mlir.constant(1 : i32) : i32
      %c2 = llvm.mlir.constant(2 : i32) : i32
      %c3 = llvm.mlir.constant(3 : i32) : i32
      %c4 = llvm.mlir.constant(4 : i32) : i32
      %c8 = llvm.mlir.constant(8 : i32) : i32
      %c15 = llvm.mlir.constant(15 : i32) : i32
      %c16 = llvm.mlir.constant(16 : i32) : i32
      %c24 = llvm.mlir.constant(24 : i32) : i32
      %c128 = llvm.mlir.constant(128 : i32) : i32
      %c256 = llvm.mlir.constant(256 : i32) : i32
      %zero = llvm.mlir.constant(0.0 : f32) : f32
      %lane = nvvm.read.ptx.sreg.tid.x : i32
      %bx = nvvm.read.ptx.sreg.ctaid.x : i32
      %by = nvvm.read.ptx.sreg.ctaid.y : i32
      %row0 = llvm.mul %bx, %c16 : i32
      %col0 = llvm.mul %by, %c8 : i32
      llvm.call @load(%a, %b, %lane, %row0, %col0, %c0, %c0) : (!llvm.ptr<1>, !llvm.ptr<1>, i32, i32, i32, i32, i32) -> ()
      llvm.br ^loop(%c0, %zero, %zero, %zero, %zero : i32, f32, f32, f32, f32)

    ^loop(%step: i32, %s0: f32, %s1: f32, %s2: f32, %s3: f32):
      %next = llvm.add %step, %c1 : i32
      %stage = llvm.and %step, %c1 : i32
      %other = llvm.and %next, %c1 : i32
      %more = llvm.icmp "ult" %next, %c4 : i32
      llvm.cond_br %more, ^prefetch, ^last
    ^prefetch:
      llvm.call @load(%a, %b, %lane, %row0, %col0, %next, %other) : (!llvm.ptr<1>, !llvm.ptr<1>, i32, i32, i32, i32, i32) -> ()
      nvvm.cp.async.wait.group 1
      llvm.br ^compute
    ^last:
      nvvm.cp.async.wait.group 0
      llvm.br ^compute
    ^compute:
      nvvm.barrier0
      // Lane 16 h + r has the address of row r, columns 8 h.
      %r = llvm.and %lane, %c15 : i32
      %h = llvm.lshr %lane, %c4 : i32
      %hc = llvm.mul %h, %c8 : i32
      %rl = llvm.mul %r, %c16 : i32
      %ri = llvm.add %rl, %hc : i32
      %as = llvm.mul %stage, %c256 : i32
      %ai = llvm.add %as, %ri : i32
      %a_shared = llvm.mlir.addressof @a_tile : !llvm.ptr<3>
      %ap = llvm.getelementptr %a_shared[%ai] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f16
      %af = nvvm.ldmatrix %ap {num = 4 : i32, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32, i32, i32)>
      %bl = llvm.mul %r, %c8 : i32
      %bs = llvm.mul %stage, %c128 : i32
      %bi = llvm.add %bs, %bl : i32
      %b_shared = llvm.mlir.addressof @b_tile : !llvm.ptr<3>
      %bp = llvm.getelementptr %b_shared[%bi] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f16
      %bf = nvvm.ldmatrix %bp {num = 2 : i32, layout = #nvvm.mma_layout<col>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32)>
      %i0 = llvm.extractvalue %af[0] : !llvm.struct<(i32, i32, i32, i32)>
      %i1 = llvm.extractvalue %af[1] : !llvm.struct<(i32, i32, i32, i32)>
      %i2 = llvm.extractvalue %af[2] : !llvm.struct<(i32, i32, i32, i32)>
      %i3 = llvm.extractvalue %af[3] : !llvm.struct<(i32, i32, i32, i32)>
      %j0 = llvm.extractvalue %bf[0] : !llvm.struct<(i32, i32)>
      %j1 = llvm.extractvalue %bf[1] : !llvm.struct<(i32, i32)>
      %f0 = llvm.bitcast %i0 : i32 to vector<2xf16>
      %f1 = llvm.bitcast %i1 : i32 to vector<2xf16>
      %f2 = llvm.bitcast %i2 : i32 to vector<2xf16>
      %f3 = llvm.bitcast %i3 : i32 to vector<2xf16>
      %g0 = llvm.bitcast %j0 : i32 to vector<2xf16>
      %g1 = llvm.bitcast %j1 : i32 to vector<2xf16>
      %d = nvvm.mma.sync A[%f0, %f1, %f2, %f3] B[%g0, %g1] C[%s0, %s1, %s2, %s3]
        {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 16, n = 8, k = 16>}
        : (vector<2xf16>, vector<2xf16>, f32) -> !llvm.struct<(f32, f32, f32, f32)>
      %d0 = llvm.extractvalue %d[0] : !llvm.struct<(f32, f32, f32, f32)>
      %d1 = llvm.extractvalue %d[1] : !llvm.struct<(f32, f32, f32, f32)>
      %d2 = llvm.extractvalue %d[2] : !llvm.struct<(f32, f32, f32, f32)>
      %d3 = llvm.extractvalue %d[3] : !llvm.struct<(f32, f32, f32, f32)>
      llvm.cond_br %more, ^barrier, ^store
    ^barrier:
      // The stage just read is the next one to be filled.
      nvvm.barrier0
      llvm.br ^loop(%next, %d0, %d1, %d2, %d3 : i32, f32, f32, f32, f32)

    ^store:
      %group = llvm.lshr %lane, %c2 : i32
      %pair = llvm.and %lane, %c3 : i32
      %pc = llvm.mul %pair, %c2 : i32
      %crow = llvm.add %row0, %group : i32
      %ccol = llvm.add %col0, %pc : i32
      %cl = llvm.mul %crow, %c24 : i32
      %ci = llvm.add %cl, %ccol : i32
      %cp = llvm.getelementptr %c[%ci] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
      %undef = llvm.mlir.undef : vector<2xf32>
      %v0 = llvm.insertelement %d0, %undef[%c0 : i32] : vector<2xf32>
      %v1 = llvm.insertelement %d1, %v0[%c1 : i32] : vector<2xf32>
      llvm.store %v1, %cp {alignment = 8 : i64} : vector<2xf32>, !llvm.ptr<1>
      %low = llvm.add %crow, %c8 : i32
      %cl2 = llvm.mul %low, %c24 : i32
      %ci2 = llvm.add %cl2, %ccol : i32
      %cp2 = llvm.getelementptr %c[%ci2] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
      %w0 = llvm.insertelement %d2, %undef[%c0 : i32] : vector<2xf32>
      %w1 = llvm.insertelement %d3, %w0[%c1 : i32] : vector<2xf32>
      llvm.store %w1, %cp2 {alignment = 8 : i64} : vector<2xf32>, !llvm.ptr<1>
      llvm.return
    }
  }

  func.func @main(%a: tensor<32x64xf16>, %b: tensor<64x24xf16>) -> tensor<32x24xf32> {
    %a_buffer = bufferization.to_buffer %a read_only : tensor<32x64xf16> to memref<32x64xf16>
    %b_buffer = bufferization.to_buffer %b read_only : tensor<64x24xf16> to memref<64x24xf16>
    %c_buffer = memref.alloc() : memref<32x24xf32>
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c32 = arith.constant 32 : index
    gpu.launch_func @kernels::@product blocks in (%c2, %c3, %c1) threads in (%c32, %c1, %c1)
        args(%a_buffer : memref<32x64xf16>, %b_buffer : memref<64x24xf16>, %c_buffer : memref<32x24xf32>)
    %c = bufferization.to_tensor %c_buffer restrict writable : memref<32x24xf32> to tensor<32x24xf32>
    return %c : tensor<32x24xf32>
  }
}

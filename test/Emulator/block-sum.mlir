// REQUIRES: execution, numpy
// A sum per block: shuffles within warps, then shared memory between them. In
// the gpu dialect, lowered by upstream's passes; the kernel knows nothing of the
// emulator, and its arguments say nothing of how they are used.
//
// RUN: %python -c "import numpy as np; np.savez('%t.npz', arg0=np.random.default_rng(0).standard_normal((5, 96), dtype=np.float32))"
// RUN: xsa-run %s --target emulator --inputs %t.npz --outputs %t.out.npz --stats %t.json --repeat 2
// RUN: FileCheck %s --input-file %t.json
// RUN: %python -c "import numpy as np; x = np.load('%t.npz')['arg0']; got = np.load('%t.out.npz')['out0']; assert abs(got - x.sum(1)).max() < 1e-4"

// Of the last call only.
// CHECK:         "name": "sum"
// CHECK:         "global_load_bytes": 1920
// CHECK-NEXT:    "global_store_bytes": 20
// CHECK-NEXT:    "global_load_sectors": 60
// CHECK:         "shared_bank_conflicts": 0
// CHECK-NEXT:    "barriers": 5
// CHECK-NOT:     "name"

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @sum(%x: memref<?x96xf32>, %sums: memref<?xf32>) workgroup(%partial : memref<3xf32, 3>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c32 = arith.constant 32 : index
      %width = arith.constant 32 : i32
      %row = gpu.block_id x
      %t = gpu.thread_id x
      %value = memref.load %x[%row, %t] : memref<?x96xf32>
      %o16 = arith.constant 16 : i32
      %o8 = arith.constant 8 : i32
      %o4 = arith.constant 4 : i32
      %o2 = arith.constant 2 : i32
      %o1 = arith.constant 1 : i32
      %v16, %p16 = gpu.shuffle xor %value, %o16, %width : f32
      %s16 = arith.addf %value, %v16 : f32
      %v8, %p8 = gpu.shuffle xor %s16, %o8, %width : f32
      %s8 = arith.addf %s16, %v8 : f32
      %v4, %p4 = gpu.shuffle down %s8, %o4, %width : f32
      %s4 = arith.addf %s8, %v4 : f32
      %v2, %p2 = gpu.shuffle xor %s4, %o2, %width : f32
      %s2 = arith.addf %s4, %v2 : f32
      %v1, %p1 = gpu.shuffle xor %s2, %o1, %width : f32
      %s1 = arith.addf %s2, %v1 : f32
      %lane = arith.remui %t, %c32 : index
      %warp = arith.divui %t, %c32 : index
      %first = arith.cmpi eq, %lane, %c0 : index
      scf.if %first {
        memref.store %s1, %partial[%warp] : memref<3xf32, 3>
      }
      gpu.barrier
      %writes = arith.cmpi eq, %t, %c0 : index
      scf.if %writes {
        %c2 = arith.constant 2 : index
        %a = memref.load %partial[%c0] : memref<3xf32, 3>
        %b = memref.load %partial[%c1] : memref<3xf32, 3>
        %c = memref.load %partial[%c2] : memref<3xf32, 3>
        %ab = arith.addf %a, %b : f32
        %abc = arith.addf %ab, %c : f32
        memref.store %abc, %sums[%row] : memref<?xf32>
      }
      gpu.return
    }
  }

  func.func @main(%x: tensor<?x96xf32>) -> tensor<?xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c96 = arith.constant 96 : index
    %zero = arith.constant 0.0 : f32
    %rows = tensor.dim %x, %c0 : tensor<?x96xf32>
    %x_buffer = bufferization.to_buffer %x read_only : tensor<?x96xf32> to memref<?x96xf32>
    %sums = memref.alloc(%rows) : memref<?xf32>
    linalg.fill ins(%zero : f32) outs(%sums : memref<?xf32>)
    gpu.launch_func @kernels::@sum blocks in (%rows, %c1, %c1) threads in (%c96, %c1, %c1)
        args(%x_buffer : memref<?x96xf32>, %sums : memref<?xf32>)
    %result = bufferization.to_tensor %sums restrict writable : memref<?xf32> to tensor<?xf32>
    return %result : tensor<?xf32>
  }
}

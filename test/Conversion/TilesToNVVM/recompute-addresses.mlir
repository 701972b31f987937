// RUN: xsa-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(xsa-recompute-addresses)))' | FileCheck %s

gpu.module @kernels {
  // The store's index is computed again from the number of the block, which a
  // shuffle hides; what was read from memory is not read again.
  // CHECK-LABEL: gpu.func @after
  // CHECK-SAME:    (%[[IN:.*]]: memref<?xf32>, %[[LENGTHS:.*]]: memref<?xindex>, %[[N:.*]]: index)
  // CHECK:         %[[C64:.*]] = arith.constant 64
  // CHECK:         %[[BLOCK:.*]] = gpu.block_id x
  // CHECK:         %[[LENGTH:.*]] = memref.load %[[LENGTHS]][%[[BLOCK]]]
  // CHECK:         %[[FIRST:.*]] = arith.muli %[[BLOCK]], %[[C64]]
  // CHECK:         %[[SUM:.*]] = scf.for
  // CHECK:           memref.load %[[IN]][%[[FIRST]]]
  // CHECK:         }
  // CHECK:         %[[NARROW:.*]] = arith.index_castui %[[BLOCK]] : index to i32
  // CHECK:         %[[SAME:.*]] = nvvm.shfl.sync bfly %{{.*}}, %[[NARROW]], %{{.*}}, %{{.*}} : i32 -> i32
  // CHECK:         %[[AGAIN:.*]] = arith.index_castui %[[SAME]] : i32 to index
  // CHECK:         %[[FIRST_AGAIN:.*]] = arith.muli %[[AGAIN]], %[[C64]]
  // CHECK:         %[[PLACE:.*]] = arith.addi %[[FIRST_AGAIN]], %[[LENGTH]]
  // CHECK:         %[[FREE:.*]] = arith.cmpi ult, %[[PLACE]], %[[N]]
  // CHECK:         scf.if %[[FREE]]
  // CHECK:           memref.store %[[SUM]], %[[IN]][%[[PLACE]]]
  // CHECK-NOT:     nvvm.shfl
  gpu.func @after(%in: memref<?xf32>, %lengths: memref<?xindex>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0.0 : f32
    %block = gpu.block_id x
    %length = memref.load %lengths[%block] : memref<?xindex>
    %first = arith.muli %block, %c64 : index
    %place = arith.addi %first, %length : index
    %free = arith.cmpi ult, %place, %n : index
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> f32 {
      %x = memref.load %in[%first] : memref<?xf32>
      %next = arith.addf %s, %x : f32
      scf.yield %next : f32
    }
    scf.if %free {
      memref.store %sum, %in[%place] : memref<?xf32>
    }
    gpu.return
  }

  // Only the last of several loops has an end that counts, and what does not
  // depend on thread or block costs nothing to keep: a kernel's arguments are
  // in memory.
  // CHECK-LABEL: gpu.func @arguments
  // CHECK-NOT:     nvvm.shfl
  gpu.func @arguments(%in: memref<?xf32>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %thread = gpu.thread_id x
    %place = arith.addi %n, %c1 : index
    scf.for %i = %c0 to %n step %c1 {
      memref.store %zero, %in[%i] : memref<?xf32>
    }
    scf.for %i = %c0 to %n step %c1 {
      memref.store %zero, %in[%thread] : memref<?xf32>
    }
    memref.store %zero, %in[%place] : memref<?xf32>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @no_loop
  // CHECK-NOT:     nvvm.shfl
  gpu.func @no_loop(%in: memref<?xf32>) kernel {
    %zero = arith.constant 0.0 : f32
    %thread = gpu.thread_id x
    memref.store %zero, %in[%thread] : memref<?xf32>
    gpu.return
  }
}

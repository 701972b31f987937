// RUN: xsa-opt %s --split-input-file --xsa-stage-kernel-buffers --verify-diagnostics | FileCheck %s

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @kernel(%a: memref<4xf32> {xsa.access = "read"}, %b: memref<?xf32> {xsa.access = "write"},
                     %c: memref<?x4xf32>, %n: index) kernel {
      gpu.return
    }
    gpu.func @two(%a: memref<4xf32>, %b: memref<?xf32>) kernel {
      gpu.return
    }
  }

  // CHECK-LABEL: func @copies_what_is_needed
  // CHECK-SAME: (%[[A:.*]]: memref<4xf32>, %[[B:.*]]: memref<?xf32>, %[[C:.*]]: memref<?x4xf32>, %[[N:.*]]: index)
  func.func @copies_what_is_needed(%a: memref<4xf32>, %b: memref<?xf32>, %c: memref<?x4xf32>, %n: index) {
    %c1 = arith.constant 1 : index
    // CHECK: %[[T0:.*]] = gpu.wait async
    // CHECK-NEXT: %[[DA:.*]], %[[T1:.*]] = gpu.alloc async [%[[T0]]] () : memref<4xf32>
    // CHECK-NEXT: %[[T2:.*]] = gpu.memcpy async [%[[T1]]] %[[DA]], %[[A]]
    // CHECK: %[[DB:.*]], %[[T3:.*]] = gpu.alloc async [%[[T2]]] (%{{.*}}) : memref<?xf32>
    // CHECK-NOT: gpu.memcpy {{.*}}, %[[B]] :
    // CHECK: %[[DC:.*]], %[[T4:.*]] = gpu.alloc async [%[[T3]]] (%{{.*}}) : memref<?x4xf32>
    // CHECK-NEXT: %[[T5:.*]] = gpu.memcpy async [%[[T4]]] %[[DC]], %[[C]]
    // CHECK-NEXT: gpu.wait [%[[T5]]]
    // CHECK: gpu.launch_func @kernels::@kernel
    // CHECK-SAME: args(%[[DA]] : memref<4xf32>, %[[DB]] : memref<?xf32>, %[[DC]] : memref<?x4xf32>, %[[N]] : index)
    // CHECK-NOT: gpu.memcpy {{.*}} %[[A]], %[[DA]]
    // CHECK: gpu.memcpy async {{.*}} %[[B]], %[[DB]]
    // CHECK: gpu.dealloc async {{.*}} %[[DB]]
    // CHECK: gpu.memcpy async {{.*}} %[[C]], %[[DC]]
    // CHECK: gpu.wait [
    gpu.launch_func @kernels::@kernel blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%a : memref<4xf32>, %b : memref<?xf32>, %c : memref<?x4xf32>, %n : index)
    return
  }

  // Buffers of the device stay.
  // CHECK-LABEL: func @on_device
  // CHECK-COUNT-1: gpu.alloc
  // CHECK-NOT: gpu.alloc
  func.func @on_device(%n: index) {
    %c1 = arith.constant 1 : index
    %t0 = gpu.wait async
    %a, %t1 = gpu.alloc async [%t0] () : memref<4xf32>
    %b = memref.cast %a : memref<4xf32> to memref<?xf32>
    gpu.wait [%t1]
    gpu.launch_func @kernels::@two blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%a : memref<4xf32>, %b : memref<?xf32>)
    return
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @kernel(%a: memref<2x4xf32, strided<[8, 1], offset: ?>> {xsa.access = "read"},
                     %b: memref<2x4xf32, strided<[8, 1], offset: ?>> {xsa.access = "write"}) kernel {
      gpu.return
    }
  }

  // Two views of a buffer are two views of one copy; what they leave out survives.
  // CHECK-LABEL: func @views
  // CHECK-SAME: (%[[BUFFER:.*]]: memref<4x8xf32>,
  func.func @views(%buffer: memref<4x8xf32>, %i: index) {
    %c1 = arith.constant 1 : index
    %a = memref.subview %buffer[%i, 0] [2, 4] [1, 1] : memref<4x8xf32> to memref<2x4xf32, strided<[8, 1], offset: ?>>
    %b = memref.subview %buffer[%i, 4] [2, 4] [1, 1] : memref<4x8xf32> to memref<2x4xf32, strided<[8, 1], offset: ?>>
    // CHECK: %[[COPY:.*]], %{{.*}} = gpu.alloc async
    // CHECK-NOT: gpu.alloc
    // CHECK: gpu.memcpy async {{.*}} %[[COPY]], %[[BUFFER]]
    // CHECK: %[[A:.*]] = memref.subview %[[COPY]]{{.*}}[2, 4]
    // CHECK: %[[B:.*]] = memref.subview %[[COPY]]{{.*}}[2, 4]
    // CHECK: gpu.launch_func {{.*}} args(%[[A]] {{.*}}, %[[B]]
    // CHECK: gpu.memcpy async {{.*}} %[[BUFFER]], %[[COPY]]
    gpu.launch_func @kernels::@kernel blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%a : memref<2x4xf32, strided<[8, 1], offset: ?>>, %b : memref<2x4xf32, strided<[8, 1], offset: ?>>)
    return
  }
}

// -----

module attributes {gpu.container_module} {
  memref.global constant @weights : memref<2xf32> = dense<[1.0, 2.0]>
  gpu.module @kernels {
    // In the LLVM dialect a memref is several arguments; the first has the attribute.
    llvm.func @kernel(%a0: !llvm.ptr, %a1: !llvm.ptr, %a2: i64, %a3: i64, %a4: i64,
                      %b0: !llvm.ptr {xsa.access = "read"}, %b1: !llvm.ptr, %b2: i64, %b3: i64, %b4: i64)
        attributes {gpu.kernel, nvvm.kernel} {
      llvm.return
    }
  }

  // Copies go between contiguous memory; constants are never written.
  // CHECK-LABEL: func @strided
  // CHECK-SAME: (%[[BUFFER:.*]]: memref<?xf32, strided<[?], offset: ?>>)
  func.func @strided(%buffer: memref<?xf32, strided<[?], offset: ?>>) {
    %c1 = arith.constant 1 : index
    %weights = memref.get_global @weights : memref<2xf32>
    // CHECK: %[[WEIGHTS:.*]] = memref.get_global
    // CHECK: %[[HOST:.*]] = memref.alloc(%{{.*}}) : memref<?xf32>
    // CHECK: memref.copy %[[BUFFER]], %[[HOST]]
    // CHECK: gpu.memcpy async {{.*}}, %[[HOST]] :
    // CHECK: gpu.launch_func
    // CHECK-NOT: gpu.memcpy async {{.*}} %[[WEIGHTS]],
    // CHECK: gpu.memcpy async {{.*}} %[[HOST]],
    // CHECK: memref.copy %[[HOST]], %[[BUFFER]]
    // CHECK: memref.dealloc %[[HOST]]
    gpu.launch_func @kernels::@kernel blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%buffer : memref<?xf32, strided<[?], offset: ?>>, %weights : memref<2xf32>)
    return
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // expected-error @+1 {{expected "read", "write" or "read_write" in 'xsa.access' of argument 0, got "reads"}}
    gpu.func @kernel(%a: memref<4xf32> {xsa.access = "reads"}) kernel {
      gpu.return
    }
  }
  func.func @unknown_access(%a: memref<4xf32>) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@kernel blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<4xf32>)
    return
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @kernel(%a: memref<2x4xf32, strided<[8, 1]>>) kernel {
      gpu.return
    }
  }
  func.func @static_strides(%a: memref<2x4xf32, strided<[8, 1]>>) {
    %c1 = arith.constant 1 : index
    // expected-error @+1 {{cannot copy a buffer of type 'memref<2x4xf32, strided<[8, 1]>>' to the device: its strides are static and not those of contiguous memory}}
    gpu.launch_func @kernels::@kernel blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%a : memref<2x4xf32, strided<[8, 1]>>)
    return
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @kernel(%a: memref<4xf32>) kernel {
      gpu.return
    }
  }
  func.func @asynchronous(%a: memref<4xf32>) {
    %c1 = arith.constant 1 : index
    %t0 = gpu.wait async
    // expected-error @+1 {{has an async token, but buffers of the host: expected buffers of gpu.alloc}}
    %t1 = gpu.launch_func async [%t0] @kernels::@kernel blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%a : memref<4xf32>)
    gpu.wait [%t1]
    return
  }
}

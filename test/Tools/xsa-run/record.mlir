// The target 'record' writes kernels and what is asked of the device to files.
//
// REQUIRES: execution
// RUN: rm -rf %t && split-file %s %t
// RUN: xsa-run %t/chain.mlir --target record --record %t/ptx
// RUN: FileCheck %t/chain.mlir --input-file %t/ptx/launches.json --check-prefixes=CHECK,PTX
// RUN: FileCheck %t/chain.mlir --input-file %t/ptx/kernels-0.ptx --check-prefix=CODE
// RUN: xsa-run %t/chain.mlir --target record --record %t/bitcode --record-format bitcode --chip sm_90
// RUN: FileCheck %t/chain.mlir --input-file %t/bitcode/launches.json --check-prefixes=CHECK,BITCODE

// What the host does to the data cannot be recorded.
// RUN: not xsa-run %t/before.mlir --target record --record %t/no 2>&1 | FileCheck %s --check-prefix=BEFORE
// BEFORE: error: a kernel reads what the host has computed: only arguments and results of other kernels can be recorded
// RUN: not xsa-run %t/after.mlir --target record --record %t/no 2>&1 | FileCheck %s --check-prefix=AFTER
// AFTER: error: result 0 is not as a kernel wrote it: what the host computes cannot be recorded
// RUN: not xsa-run %t/host.mlir --target record --record %t/no 2>&1 | FileCheck %s --check-prefix=HOST
// HOST: error: no kernel was launched: there is nothing to record
// RUN: not xsa-run %t/dynamic.mlir --target record --record %t/no 2>&1 | FileCheck %s --check-prefix=DYNAMIC
// DYNAMIC: error: argument 0 has dynamic sizes, which cannot be recorded
// RUN: not ls %t/no

// RUN: not xsa-run %t/host.mlir --target record 2>&1 | FileCheck %s --check-prefix=FOLDER
// RUN: not xsa-run %t/host.mlir --record %t/no 2>&1 | FileCheck %s --check-prefix=FOLDER
// FOLDER: error: --target record and --record go together
// RUN: not xsa-run %t/host.mlir --target record --record %t/no --outputs %t/out.npz 2>&1 | FileCheck %s --check-prefix=FILES
// FILES: error: --target record runs nothing: it takes no --inputs, --outputs or --stats
// RUN: not xsa-run %t/chain.mlir --target record --record %t/host.mlir/no 2>&1 | FileCheck %s --check-prefix=MADE
// MADE: error: '{{.*}}host.mlir/no': could not be made: Not a directory

// Files appear when all are complete: on a full disk, or with a limit on the size of files, an earlier recording stays.
// RUN: cp -r %t/ptx %t/limited
// RUN: not bash -c 'ulimit -f 1; xsa-run %t/chain.mlir --target record --record %t/limited --chip sm_90' 2>&1 | FileCheck %s --check-prefix=LIMIT
// LIMIT-NOT: Stack dump
// LIMIT: error: '{{.*}}launches.json': could not be written: File too large
// RUN: diff -r %t/ptx %t/limited
// RUN: not bash -c 'ulimit -f 1; xsa-run %t/chain.mlir --target record --record %t/new' 2>&1 | FileCheck %s --check-prefix=LIMIT
// RUN: find %t/new -type f | count 0

//--- chain.mlir
// The second launch reads what the first wrote: the same buffer, and no copy. The
// argument is uploaded once.
// PTX: "chip": "sm_80"
// BITCODE: "chip": "sm_90"
// CHECK:      "buffers": [
// CHECK-NEXT:  {
// CHECK-NEXT:   "bytes": 256,
// CHECK-NEXT:   "argument": 0
// CHECK-NEXT:  },
// CHECK-NEXT:  {
// CHECK-NEXT:   "bytes": 256
// CHECK-NEXT:  },
// CHECK-NEXT:  {
// CHECK-NEXT:   "bytes": 256,
// CHECK-NEXT:   "result": 0
// CHECK-NEXT:  }
// CHECK-NEXT: ],
// CHECK-NEXT: "launches": [
// CHECK-NEXT:  {
// PTX-NEXT:     "image": "kernels-0.ptx",
// BITCODE-NEXT: "image": "kernels-0.bc",
// CHECK-NEXT:   "kernel": "add",
// CHECK-NEXT:   "grid": [
// CHECK-NEXT:    2,
// CHECK-NEXT:    1,
// CHECK-NEXT:    1
// CHECK-NEXT:   ],
// CHECK-NEXT:   "block": [
// CHECK-NEXT:    32,
// CHECK-NEXT:    1,
// CHECK-NEXT:    1
// CHECK-NEXT:   ],
// CHECK-NEXT:   "dynamic_shared_bytes": 0,
// CHECK-NEXT:   "parameters": [
// A memref is two pointers, an offset, sizes and strides.
// CHECK-NEXT:    {
// CHECK-NEXT:     "buffer": 0,
// CHECK-NEXT:     "offset": 0,
// CHECK-NEXT:     "bytes": 8
// CHECK-NEXT:    },
// CHECK-NEXT:    {
// CHECK-NEXT:     "buffer": 0,
// CHECK-NEXT:     "offset": 0,
// CHECK-NEXT:     "bytes": 8
// CHECK-NEXT:    },
// CHECK-NEXT:    {
// CHECK-NEXT:     "value": 0,
// CHECK-NEXT:     "bytes": 8
// CHECK-NEXT:    },
// CHECK-NEXT:    {
// CHECK-NEXT:     "value": 64,
// CHECK-NEXT:     "bytes": 8
// CHECK-NEXT:    },
// CHECK-NEXT:    {
// CHECK-NEXT:     "value": 1,
// CHECK-NEXT:     "bytes": 8
// CHECK-NEXT:    },
// CHECK-NEXT:    {
// CHECK-NEXT:     "buffer": 1,
// The bits of 3.0.
// CHECK:          "value": 1077936128,
// CHECK-NEXT:     "bytes": 4
// CHECK:        "kernel": "add",
// CHECK:         "buffer": 1,
// CHECK:         "buffer": 2,
// CHECK:          "value": 1082130432,
// CHECK-NOT:    "kernel"
// CODE: .entry add(

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @add(%x: memref<64xf32> {xsa.access = "read"}, %z: memref<64xf32> {xsa.access = "write"}, %a: f32) kernel {
      %i = gpu.global_id x
      %value = memref.load %x[%i] : memref<64xf32>
      %sum = arith.addf %value, %a : f32
      memref.store %sum, %z[%i] : memref<64xf32>
      gpu.return
    }
  }
  func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c32 = arith.constant 32 : index
    %three = arith.constant 3.0 : f32
    %four = arith.constant 4.0 : f32
    %x_buffer = bufferization.to_buffer %x read_only : tensor<64xf32> to memref<64xf32>
    %y = memref.alloc() : memref<64xf32>
    %z = memref.alloc() : memref<64xf32>
    gpu.launch_func @kernels::@add blocks in (%c2, %c1, %c1) threads in (%c32, %c1, %c1)
        args(%x_buffer : memref<64xf32>, %y : memref<64xf32>, %three : f32)
    gpu.launch_func @kernels::@add blocks in (%c2, %c1, %c1) threads in (%c32, %c1, %c1)
        args(%y : memref<64xf32>, %z : memref<64xf32>, %four : f32)
    %result = bufferization.to_tensor %z restrict writable : memref<64xf32> to tensor<64xf32>
    return %result : tensor<64xf32>
  }
}

//--- before.mlir
#q = affine_map<(b, m, k1, k2, n) -> (b, m, k1)>
#k = affine_map<(b, m, k1, k2, n) -> (b, k2, k1)>
#v = affine_map<(b, m, k1, k2, n) -> (b, k2, n)>
#o = affine_map<(b, m, k1, k2, n) -> (b, m, n)>
!t = tensor<2x64x64xf16>
func.func @main(%q: !t, %kv: !t) -> !t {
  %init = tensor.empty() : !t
  %square = linalg.mul ins(%q, %q : !t, !t) outs(%init : !t) -> !t
  %z = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%square, %kv, %kv : !t, !t, !t) outs(%init : !t) -> !t
  return %z : !t
}

//--- after.mlir
#q = affine_map<(b, m, k1, k2, n) -> (b, m, k1)>
#k = affine_map<(b, m, k1, k2, n) -> (b, k2, k1)>
#v = affine_map<(b, m, k1, k2, n) -> (b, k2, n)>
#o = affine_map<(b, m, k1, k2, n) -> (b, m, n)>
!t = tensor<2x64x64xf16>
func.func @main(%q: !t, %kv: !t) -> !t {
  %init = tensor.empty() : !t
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %kv, %kv : !t, !t, !t) outs(%init : !t) -> !t
  %z = linalg.mul ins(%y, %y : !t, !t) outs(%init : !t) -> !t
  return %z : !t
}

//--- host.mlir
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

//--- dynamic.mlir
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}

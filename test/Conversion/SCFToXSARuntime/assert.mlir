// RUN: xsa-opt %s -split-input-file -convert-assert-to-xsa-runtime | FileCheck %s

// CHECK-DAG: llvm.func @xsa_fail(!llvm.ptr) attributes {passthrough = ["cold", "noreturn"]}
// CHECK-DAG: llvm.mlir.global internal constant @[[MESSAGE:xsa_assert_message.*]]("index out of range (model.py:3:4)\00")
// CHECK-LABEL: func.func @checked(
// CHECK-SAME:    %[[OK:.*]]: i1
// CHECK:         cf.cond_br %[[OK]], ^[[PASSED:.*]], ^[[FAILED:.*]]
// CHECK:       ^[[PASSED]]:
// CHECK:         return
// CHECK:       ^[[FAILED]]:
// CHECK:         %[[TEXT:.*]] = llvm.mlir.addressof @[[MESSAGE]]
// CHECK:         llvm.call @xsa_fail(%[[TEXT]])
// CHECK:         llvm.unreachable
func.func @checked(%ok: i1, %x: f32) -> f32 {
  cf.assert %ok, "index out of range" loc("model.py":3:4)
  return %x : f32
}

// -----

// Nothing is declared where nothing is checked.
// CHECK-LABEL: func.func @unchecked
// CHECK-NOT: xsa_fail
func.func @unchecked() {
  return
}

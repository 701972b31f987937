// RUN: xsa-opt %s --pass-pipeline='builtin.module(func.func(xsa-make-exclusive))' | FileCheck %s

// No operation of the dialect has loaded it.
// CHECK-LABEL: func.func @nothing()
func.func @nothing() {
  return
}

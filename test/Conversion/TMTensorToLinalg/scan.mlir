// RUN: xsa-opt %s --convert-tm-tensor-to-linalg --canonicalize --cse --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @inclusive
// CHECK-SAME: %[[X:[a-z0-9_]+]]: tensor<2x8xi64>, %[[INIT:[a-z0-9_]+]]: tensor<2x8xi64>, %[[ACC:[a-z0-9_]+]]: tensor<2xi64>
// CHECK-DAG: %[[C1:[a-z0-9_]+]] = arith.constant 1 : index
// CHECK-DAG: %[[C8:[a-z0-9_]+]] = arith.constant 8 : index
// CHECK: %[[FIRST:[a-z0-9_]+]] = tensor.extract_slice %[[X]][0, 0] [2, 1] [1, 1]
// CHECK: %[[OUT:[a-z0-9_]+]] = tensor.insert_slice %[[FIRST]] into %[[INIT]][0, 0] [2, 1] [1, 1]
// CHECK: %[[R:[a-z0-9_]+]]:2 = scf.for %[[I:[a-z0-9_]+]] = %[[C1]] to %[[C8]] step %[[C1]] iter_args(%[[O:[a-z0-9_]+]] = %[[OUT]], %[[P:[a-z0-9_]+]] = %[[FIRST]])
// CHECK:   %[[NEXT:[a-z0-9_]+]] = tensor.extract_slice %[[X]][0, %[[I]]] [2, 1] [1, 1]
// CHECK:   %[[SUM:[a-z0-9_]+]] = linalg.generic {{.*}} ins(%[[NEXT]] : tensor<2xi64>) outs(%[[P]] : tensor<2xi64>)
// CHECK:   ^bb0(%[[IN:[a-z0-9_]+]]: i64, %[[PREVIOUS:[a-z0-9_]+]]: i64):
// CHECK:     arith.subi %[[PREVIOUS]], %[[IN]]
// CHECK:   %[[W:[a-z0-9_]+]] = tensor.insert_slice %[[SUM]] into %[[O]][0, %[[I]]] [2, 1] [1, 1]
// CHECK:   scf.yield %[[W]], %[[SUM]]
// CHECK: return %[[R]]#0, %[[R]]#1
func.func @inclusive(%x: tensor<2x8xi64>, %init: tensor<2x8xi64>, %acc: tensor<2xi64>)
    -> (tensor<2x8xi64>, tensor<2xi64>) {
  %r:2 = tm_tensor.scan dimension(1) inclusive(true)
      ins(%x : tensor<2x8xi64>) outs(%init, %acc : tensor<2x8xi64>, tensor<2xi64>) {
  ^bb0(%previous: i64, %next: i64):
    %s = arith.subi %previous, %next : i64
    tm_tensor.yield %s : i64
  } -> tensor<2x8xi64>, tensor<2xi64>
  return %r#0, %r#1 : tensor<2x8xi64>, tensor<2xi64>
}

// -----

// The first value is the accumulator's; step i reads position i - 1.
// CHECK-LABEL: func.func @exclusive
// CHECK-SAME: %[[X:[a-z0-9_]+]]: tensor<8x2xf32>, %[[INIT:[a-z0-9_]+]]: tensor<8x2xf32>, %[[ACC:[a-z0-9_]+]]: tensor<2xf32>
// CHECK: %[[OUT:[a-z0-9_]+]] = tensor.insert_slice %[[ACC]] into %[[INIT]][0, 0] [1, 2] [1, 1]
// CHECK: scf.for %[[I:[a-z0-9_]+]] = %{{.*}} iter_args(%{{.*}} = %[[OUT]], %{{.*}} = %[[ACC]])
// CHECK:   %[[FROM:[a-z0-9_]+]] = arith.subi %[[I]], %{{.*}} : index
// CHECK:   tensor.extract_slice %[[X]][%[[FROM]], 0] [1, 2] [1, 1]
func.func @exclusive(%x: tensor<8x2xf32>, %init: tensor<8x2xf32>, %acc: tensor<2xf32>) -> tensor<8x2xf32> {
  %r:2 = tm_tensor.scan dimension(0) inclusive(false)
      ins(%x : tensor<8x2xf32>) outs(%init, %acc : tensor<8x2xf32>, tensor<2xf32>) {
  ^bb0(%previous: f32, %next: f32):
    %s = arith.mulf %previous, %next : f32
    tm_tensor.yield %s : f32
  } -> tensor<8x2xf32>, tensor<2xf32>
  return %r#0 : tensor<8x2xf32>
}

// -----

// Nothing is read from an input that may be empty, and the accumulator keeps
// its value where nothing is combined.
// CHECK-LABEL: func.func @dynamic
// CHECK-SAME: %[[X:[a-z0-9_]+]]: tensor<?x?xf32>, %[[INIT:[a-z0-9_]+]]: tensor<?x?xf32>, %[[ACC:[a-z0-9_]+]]: tensor<?xf32>
// CHECK-DAG: %[[C0:[a-z0-9_]+]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:[a-z0-9_]+]] = arith.constant 1 : index
// CHECK: %[[LENGTH:[a-z0-9_]+]] = tensor.dim %[[X]], %[[C1]]
// CHECK: %[[TRIPS:[a-z0-9_]+]] = arith.minui %[[LENGTH]], %[[C1]]
// CHECK: %[[FIRST:[a-z0-9_]+]]:2 = scf.for %{{.*}} = %[[C0]] to %[[TRIPS]] step %[[C1]]
// CHECK:   tensor.extract_slice %[[X]][0, 0]
// CHECK: %[[R:[a-z0-9_]+]]:2 = scf.for %{{.*}} = %[[C1]] to %[[LENGTH]] step %[[C1]] iter_args(%{{.*}} = %[[FIRST]]#0, %{{.*}} = %[[FIRST]]#1)
// CHECK: %[[MANY:[a-z0-9_]+]] = arith.cmpi ugt, %[[LENGTH]], %[[C1]]
// CHECK: arith.select %[[MANY]], %[[R]]#1, %[[ACC]]
func.func @dynamic(%x: tensor<?x?xf32>, %init: tensor<?x?xf32>, %acc: tensor<?xf32>)
    -> (tensor<?x?xf32>, tensor<?xf32>) {
  %r:2 = tm_tensor.scan dimension(1) inclusive(true)
      ins(%x : tensor<?x?xf32>) outs(%init, %acc : tensor<?x?xf32>, tensor<?xf32>) {
  ^bb0(%previous: f32, %next: f32):
    %s = arith.addf %previous, %next : f32
    tm_tensor.yield %s : f32
  } -> tensor<?x?xf32>, tensor<?xf32>
  return %r#0, %r#1 : tensor<?x?xf32>, tensor<?xf32>
}

// -----

// CHECK-LABEL: func.func @one_dimension
// CHECK: linalg.generic {indexing_maps = [#{{.*}}, #{{.*}}], iterator_types = []} ins(%{{.*}} : tensor<i32>) outs(%{{.*}} : tensor<i32>)
func.func @one_dimension(%x: tensor<8xi32>, %init: tensor<8xi32>, %acc: tensor<i32>) -> tensor<8xi32> {
  %r:2 = tm_tensor.scan dimension(0) inclusive(true)
      ins(%x : tensor<8xi32>) outs(%init, %acc : tensor<8xi32>, tensor<i32>) {
  ^bb0(%previous: i32, %next: i32):
    %s = arith.maxsi %previous, %next : i32
    tm_tensor.yield %s : i32
  } -> tensor<8xi32>, tensor<i32>
  return %r#0 : tensor<8xi32>
}

// -----

// Operands that agree, but are static in different places.
// CHECK-LABEL: func.func @mixed_static_and_dynamic
// CHECK-NOT: tm_tensor
func.func @mixed_static_and_dynamic(%x: tensor<2x?xf32>, %init: tensor<?x8xf32>, %acc: tensor<?xf32>)
    -> (tensor<?x8xf32>, tensor<?xf32>) {
  %r:2 = tm_tensor.scan dimension(1) inclusive(true)
      ins(%x : tensor<2x?xf32>) outs(%init, %acc : tensor<?x8xf32>, tensor<?xf32>) {
  ^bb0(%previous: f32, %next: f32):
    %s = arith.addf %previous, %next : f32
    tm_tensor.yield %s : f32
  } -> tensor<?x8xf32>, tensor<?xf32>
  return %r#0, %r#1 : tensor<?x8xf32>, tensor<?xf32>
}

// -----

// An empty scan writes nothing; one element is copied and not combined.
// CHECK-LABEL: func.func @empty_and_single
// CHECK-SAME: %{{.*}}: tensor<0xf32>, %[[INIT:[a-z0-9_]+]]: tensor<0xf32>, %[[X:[a-z0-9_]+]]: tensor<1xf32>, %{{.*}}: tensor<1xf32>, %[[ACC:[a-z0-9_]+]]: tensor<f32>
// CHECK-NOT: linalg.generic
// CHECK: return %{{.*}}, %{{.*}}, %[[ACC]]
func.func @empty_and_single(%x: tensor<0xf32>, %init: tensor<0xf32>, %y: tensor<1xf32>, %init1: tensor<1xf32>, %acc: tensor<f32>)
    -> (tensor<0xf32>, tensor<1xf32>, tensor<f32>) {
  %r:2 = tm_tensor.scan dimension(0) inclusive(true)
      ins(%x : tensor<0xf32>) outs(%init, %acc : tensor<0xf32>, tensor<f32>) {
  ^bb0(%previous: f32, %next: f32):
    %s = arith.addf %previous, %next : f32
    tm_tensor.yield %s : f32
  } -> tensor<0xf32>, tensor<f32>
  %q:2 = tm_tensor.scan dimension(0) inclusive(true)
      ins(%y : tensor<1xf32>) outs(%init1, %acc : tensor<1xf32>, tensor<f32>) {
  ^bb0(%previous: f32, %next: f32):
    %s = arith.addf %previous, %next : f32
    tm_tensor.yield %s : f32
  } -> tensor<1xf32>, tensor<f32>
  return %r#0, %q#0, %q#1 : tensor<0xf32>, tensor<1xf32>, tensor<f32>
}

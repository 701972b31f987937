// RUN: xsa-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(xsa-raise-attention),cse)' | FileCheck %s

// Attention as a decomposing importer writes it, one feature per function.

// CHECK-DAG: #[[M0:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2)>
// CHECK-DAG: #[[M1:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d2)>
// CHECK-DAG: #[[M2:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d4)>
// CHECK-DAG: #[[M3:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4)>
// CHECK-LABEL: func @plain(
// CHECK: xsa.attention {indexing_maps = [#[[M0]], #[[M1]], #[[M2]], #[[M3]]], scale = 0.353{{[0-9]+}} : f64
// CHECK-SAME: ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<2x16x8xf32>, tensor<2x16x8xf32>, tensor<2x16x8xf32>) outs(%{{.*}} : tensor<2x16x8xf32>) -> tensor<2x16x8xf32>
// CHECK-NOT: math.exp
func.func @plain(%q: tensor<1x2x16x8xf32>, %k: tensor<1x2x16x8xf32>, %v: tensor<1x2x16x8xf32>) -> tensor<1x2x16x8xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %scale = arith.constant 3.53553390593273786e-01 : f32
  %es = tensor.empty() : tensor<1x2x16x16xf32>
  %er = tensor.empty() : tensor<1x2x16xf32>
  %ey = tensor.empty() : tensor<1x2x16x8xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<1x2x16x16xf32>) -> tensor<1x2x16x16xf32>
  %s1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>) outs(%s0 : tensor<1x2x16x16xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<1x2x16x16xf32>
  %s2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s1 : tensor<1x2x16x16xf32>) outs(%es : tensor<1x2x16x16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %m = arith.mulf %x, %scale : f32
    linalg.yield %m : f32
  } -> tensor<1x2x16x16xf32>
  %m0 = linalg.fill ins(%ninf : f32) outs(%er : tensor<1x2x16xf32>) -> tensor<1x2x16xf32>
  %mx = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%s2 : tensor<1x2x16x16xf32>) outs(%m0 : tensor<1x2x16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %m = arith.maximumf %x, %o : f32
    linalg.yield %m : f32
  } -> tensor<1x2x16xf32>
  %ex = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s2, %mx : tensor<1x2x16x16xf32>, tensor<1x2x16xf32>) outs(%es : tensor<1x2x16x16xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %d = arith.subf %x, %y : f32
    %p = math.exp %d : f32
    linalg.yield %p : f32
  } -> tensor<1x2x16x16xf32>
  %l0 = linalg.fill ins(%zero : f32) outs(%er : tensor<1x2x16xf32>) -> tensor<1x2x16xf32>
  %l = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%ex : tensor<1x2x16x16xf32>) outs(%l0 : tensor<1x2x16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %m = arith.addf %x, %o : f32
    linalg.yield %m : f32
  } -> tensor<1x2x16xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%ex, %l : tensor<1x2x16x16xf32>, tensor<1x2x16xf32>) outs(%es : tensor<1x2x16x16xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.divf %x, %y : f32
    linalg.yield %p : f32
  } -> tensor<1x2x16x16xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<1x2x16x8xf32>) -> tensor<1x2x16x8xf32>
  %y1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%p, %v : tensor<1x2x16x16xf32>, tensor<1x2x16x8xf32>) outs(%y0 : tensor<1x2x16x8xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<1x2x16x8xf32>
  return %y1 : tensor<1x2x16x8xf32>
}

// -----

// A product that is not scaled has no scale attribute.
// CHECK-DAG: #[[M0:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2)>
// CHECK-DAG: #[[M1:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d2)>
// CHECK-DAG: #[[M2:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d4)>
// CHECK-DAG: #[[M3:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4)>
// CHECK-LABEL: func @scale_is_one(
// CHECK: xsa.attention {indexing_maps = [#[[M0]], #[[M1]], #[[M2]], #[[M3]]]
// CHECK-SAME: ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<2x16x8xf32>, tensor<2x16x8xf32>, tensor<2x16x8xf32>) outs(%{{.*}} : tensor<2x16x8xf32>) -> tensor<2x16x8xf32>
// CHECK-NOT: math.exp
func.func @scale_is_one(%q: tensor<1x2x16x8xf32>, %k: tensor<1x2x16x8xf32>, %v: tensor<1x2x16x8xf32>) -> tensor<1x2x16x8xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %scale = arith.constant 1.00000000000000000e+00 : f32
  %es = tensor.empty() : tensor<1x2x16x16xf32>
  %er = tensor.empty() : tensor<1x2x16xf32>
  %ey = tensor.empty() : tensor<1x2x16x8xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<1x2x16x16xf32>) -> tensor<1x2x16x16xf32>
  %s1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>) outs(%s0 : tensor<1x2x16x16xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<1x2x16x16xf32>
  %s2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s1 : tensor<1x2x16x16xf32>) outs(%es : tensor<1x2x16x16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %m = arith.mulf %x, %scale : f32
    linalg.yield %m : f32
  } -> tensor<1x2x16x16xf32>
  %m0 = linalg.fill ins(%ninf : f32) outs(%er : tensor<1x2x16xf32>) -> tensor<1x2x16xf32>
  %mx = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%s2 : tensor<1x2x16x16xf32>) outs(%m0 : tensor<1x2x16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %m = arith.maximumf %x, %o : f32
    linalg.yield %m : f32
  } -> tensor<1x2x16xf32>
  %ex = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s2, %mx : tensor<1x2x16x16xf32>, tensor<1x2x16xf32>) outs(%es : tensor<1x2x16x16xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %d = arith.subf %x, %y : f32
    %p = math.exp %d : f32
    linalg.yield %p : f32
  } -> tensor<1x2x16x16xf32>
  %l0 = linalg.fill ins(%zero : f32) outs(%er : tensor<1x2x16xf32>) -> tensor<1x2x16xf32>
  %l = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%ex : tensor<1x2x16x16xf32>) outs(%l0 : tensor<1x2x16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %m = arith.addf %x, %o : f32
    linalg.yield %m : f32
  } -> tensor<1x2x16xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%ex, %l : tensor<1x2x16x16xf32>, tensor<1x2x16xf32>) outs(%es : tensor<1x2x16x16xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.divf %x, %y : f32
    linalg.yield %p : f32
  } -> tensor<1x2x16x16xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<1x2x16x8xf32>) -> tensor<1x2x16x8xf32>
  %y1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%p, %v : tensor<1x2x16x16xf32>, tensor<1x2x16x8xf32>) outs(%y0 : tensor<1x2x16x8xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<1x2x16x8xf32>
  return %y1 : tensor<1x2x16x8xf32>
}

// -----

// CHECK-DAG: #[[M0:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2)>
// CHECK-DAG: #[[M1:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d2)>
// CHECK-DAG: #[[M2:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d4)>
// CHECK-DAG: #[[M3:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4)>
// CHECK-LABEL: func @causal(
// CHECK: xsa.attention {causal, indexing_maps = [#[[M0]], #[[M1]], #[[M2]], #[[M3]]], scale = 0.353{{[0-9]+}} : f64
// CHECK-SAME: ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<2x16x8xf32>, tensor<2x16x8xf32>, tensor<2x16x8xf32>) outs(%{{.*}} : tensor<2x16x8xf32>) -> tensor<2x16x8xf32>
// CHECK-NOT: math.exp
func.func @causal(%q: tensor<1x2x16x8xf32>, %k: tensor<1x2x16x8xf32>, %v: tensor<1x2x16x8xf32>) -> tensor<1x2x16x8xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %scale = arith.constant 3.53553390593273786e-01 : f32
  %es = tensor.empty() : tensor<1x2x16x16xf32>
  %er = tensor.empty() : tensor<1x2x16xf32>
  %ey = tensor.empty() : tensor<1x2x16x8xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<1x2x16x16xf32>) -> tensor<1x2x16x16xf32>
  %s1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>) outs(%s0 : tensor<1x2x16x16xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<1x2x16x16xf32>
  %s2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s1 : tensor<1x2x16x16xf32>) outs(%es : tensor<1x2x16x16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %m = arith.mulf %x, %scale : f32
    linalg.yield %m : f32
  } -> tensor<1x2x16x16xf32>
  %s5 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s2 : tensor<1x2x16x16xf32>) outs(%es : tensor<1x2x16x16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %i0 = linalg.index 2 : index
    %j = linalg.index 3 : index
    %off = arith.constant 0 : index
    %i = arith.addi %i0, %off : index
    %cc = arith.cmpi sle, %j, %i : index
    %m = arith.select %cc, %x, %ninf : f32
    linalg.yield %m : f32
  } -> tensor<1x2x16x16xf32>
  %m0 = linalg.fill ins(%ninf : f32) outs(%er : tensor<1x2x16xf32>) -> tensor<1x2x16xf32>
  %mx = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%s5 : tensor<1x2x16x16xf32>) outs(%m0 : tensor<1x2x16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %m = arith.maximumf %x, %o : f32
    linalg.yield %m : f32
  } -> tensor<1x2x16xf32>
  %ex = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s5, %mx : tensor<1x2x16x16xf32>, tensor<1x2x16xf32>) outs(%es : tensor<1x2x16x16xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %d = arith.subf %x, %y : f32
    %p = math.exp %d : f32
    linalg.yield %p : f32
  } -> tensor<1x2x16x16xf32>
  %l0 = linalg.fill ins(%zero : f32) outs(%er : tensor<1x2x16xf32>) -> tensor<1x2x16xf32>
  %l = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%ex : tensor<1x2x16x16xf32>) outs(%l0 : tensor<1x2x16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %m = arith.addf %x, %o : f32
    linalg.yield %m : f32
  } -> tensor<1x2x16xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%ex, %l : tensor<1x2x16x16xf32>, tensor<1x2x16xf32>) outs(%es : tensor<1x2x16x16xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.divf %x, %y : f32
    linalg.yield %p : f32
  } -> tensor<1x2x16x16xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<1x2x16x8xf32>) -> tensor<1x2x16x8xf32>
  %y1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%p, %v : tensor<1x2x16x16xf32>, tensor<1x2x16x8xf32>) outs(%y0 : tensor<1x2x16x8xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<1x2x16x8xf32>
  return %y1 : tensor<1x2x16x8xf32>
}

// -----

// The last query row stands at the last key.
// CHECK-DAG: #[[M0:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2)>
// CHECK-DAG: #[[M1:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d2)>
// CHECK-DAG: #[[M2:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d4)>
// CHECK-DAG: #[[M3:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4)>
// CHECK-LABEL: func @causal_bottom_right(
// CHECK: xsa.attention {causal, indexing_maps = [#[[M0]], #[[M1]], #[[M2]], #[[M3]]], scale = 0.353{{[0-9]+}} : f64
// CHECK-SAME: ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<2x16x8xf32>, tensor<2x24x8xf32>, tensor<2x24x4xf32>) outs(%{{.*}} : tensor<2x16x4xf32>) -> tensor<2x16x4xf32>
// CHECK-NOT: math.exp
func.func @causal_bottom_right(%q: tensor<1x2x16x8xf32>, %k: tensor<1x2x24x8xf32>, %v: tensor<1x2x24x4xf32>) -> tensor<1x2x16x4xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %scale = arith.constant 3.53553390593273786e-01 : f32
  %es = tensor.empty() : tensor<1x2x16x24xf32>
  %er = tensor.empty() : tensor<1x2x16xf32>
  %ey = tensor.empty() : tensor<1x2x16x4xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<1x2x16x24xf32>) -> tensor<1x2x16x24xf32>
  %s1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<1x2x16x8xf32>, tensor<1x2x24x8xf32>) outs(%s0 : tensor<1x2x16x24xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<1x2x16x24xf32>
  %s2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s1 : tensor<1x2x16x24xf32>) outs(%es : tensor<1x2x16x24xf32>) {
  ^bb0(%x: f32, %o: f32):
    %m = arith.mulf %x, %scale : f32
    linalg.yield %m : f32
  } -> tensor<1x2x16x24xf32>
  %s5 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s2 : tensor<1x2x16x24xf32>) outs(%es : tensor<1x2x16x24xf32>) {
  ^bb0(%x: f32, %o: f32):
    %i0 = linalg.index 2 : index
    %j = linalg.index 3 : index
    %off = arith.constant 8 : index
    %i = arith.addi %i0, %off : index
    %cc = arith.cmpi sle, %j, %i : index
    %m = arith.select %cc, %x, %ninf : f32
    linalg.yield %m : f32
  } -> tensor<1x2x16x24xf32>
  %m0 = linalg.fill ins(%ninf : f32) outs(%er : tensor<1x2x16xf32>) -> tensor<1x2x16xf32>
  %mx = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%s5 : tensor<1x2x16x24xf32>) outs(%m0 : tensor<1x2x16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %m = arith.maximumf %x, %o : f32
    linalg.yield %m : f32
  } -> tensor<1x2x16xf32>
  %ex = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s5, %mx : tensor<1x2x16x24xf32>, tensor<1x2x16xf32>) outs(%es : tensor<1x2x16x24xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %d = arith.subf %x, %y : f32
    %p = math.exp %d : f32
    linalg.yield %p : f32
  } -> tensor<1x2x16x24xf32>
  %l0 = linalg.fill ins(%zero : f32) outs(%er : tensor<1x2x16xf32>) -> tensor<1x2x16xf32>
  %l = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%ex : tensor<1x2x16x24xf32>) outs(%l0 : tensor<1x2x16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %m = arith.addf %x, %o : f32
    linalg.yield %m : f32
  } -> tensor<1x2x16xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%ex, %l : tensor<1x2x16x24xf32>, tensor<1x2x16xf32>) outs(%es : tensor<1x2x16x24xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.divf %x, %y : f32
    linalg.yield %p : f32
  } -> tensor<1x2x16x24xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<1x2x16x4xf32>) -> tensor<1x2x16x4xf32>
  %y1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%p, %v : tensor<1x2x16x24xf32>, tensor<1x2x24x4xf32>) outs(%y0 : tensor<1x2x16x4xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<1x2x16x4xf32>
  return %y1 : tensor<1x2x16x4xf32>
}

// -----

// CHECK-DAG: #[[M0:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2)>
// CHECK-DAG: #[[M1:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d2)>
// CHECK-DAG: #[[M2:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d4)>
// CHECK-DAG: #[[M3:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4)>
// CHECK-LABEL: func @causal_top_left(
// CHECK: xsa.attention {alignment = #xsa.alignment<top_left>, causal, indexing_maps = [#[[M0]], #[[M1]], #[[M2]], #[[M3]]], scale = 0.353{{[0-9]+}} : f64
// CHECK-SAME: ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<2x16x8xf32>, tensor<2x24x8xf32>, tensor<2x24x4xf32>) outs(%{{.*}} : tensor<2x16x4xf32>) -> tensor<2x16x4xf32>
// CHECK-NOT: math.exp
func.func @causal_top_left(%q: tensor<1x2x16x8xf32>, %k: tensor<1x2x24x8xf32>, %v: tensor<1x2x24x4xf32>) -> tensor<1x2x16x4xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %scale = arith.constant 3.53553390593273786e-01 : f32
  %es = tensor.empty() : tensor<1x2x16x24xf32>
  %er = tensor.empty() : tensor<1x2x16xf32>
  %ey = tensor.empty() : tensor<1x2x16x4xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<1x2x16x24xf32>) -> tensor<1x2x16x24xf32>
  %s1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<1x2x16x8xf32>, tensor<1x2x24x8xf32>) outs(%s0 : tensor<1x2x16x24xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<1x2x16x24xf32>
  %s2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s1 : tensor<1x2x16x24xf32>) outs(%es : tensor<1x2x16x24xf32>) {
  ^bb0(%x: f32, %o: f32):
    %m = arith.mulf %x, %scale : f32
    linalg.yield %m : f32
  } -> tensor<1x2x16x24xf32>
  %s5 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s2 : tensor<1x2x16x24xf32>) outs(%es : tensor<1x2x16x24xf32>) {
  ^bb0(%x: f32, %o: f32):
    %i0 = linalg.index 2 : index
    %j = linalg.index 3 : index
    %off = arith.constant 0 : index
    %i = arith.addi %i0, %off : index
    %cc = arith.cmpi sle, %j, %i : index
    %m = arith.select %cc, %x, %ninf : f32
    linalg.yield %m : f32
  } -> tensor<1x2x16x24xf32>
  %m0 = linalg.fill ins(%ninf : f32) outs(%er : tensor<1x2x16xf32>) -> tensor<1x2x16xf32>
  %mx = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%s5 : tensor<1x2x16x24xf32>) outs(%m0 : tensor<1x2x16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %m = arith.maximumf %x, %o : f32
    linalg.yield %m : f32
  } -> tensor<1x2x16xf32>
  %ex = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s5, %mx : tensor<1x2x16x24xf32>, tensor<1x2x16xf32>) outs(%es : tensor<1x2x16x24xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %d = arith.subf %x, %y : f32
    %p = math.exp %d : f32
    linalg.yield %p : f32
  } -> tensor<1x2x16x24xf32>
  %l0 = linalg.fill ins(%zero : f32) outs(%er : tensor<1x2x16xf32>) -> tensor<1x2x16xf32>
  %l = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%ex : tensor<1x2x16x24xf32>) outs(%l0 : tensor<1x2x16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %m = arith.addf %x, %o : f32
    linalg.yield %m : f32
  } -> tensor<1x2x16xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%ex, %l : tensor<1x2x16x24xf32>, tensor<1x2x16xf32>) outs(%es : tensor<1x2x16x24xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.divf %x, %y : f32
    linalg.yield %p : f32
  } -> tensor<1x2x16x24xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<1x2x16x4xf32>) -> tensor<1x2x16x4xf32>
  %y1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%p, %v : tensor<1x2x16x24xf32>, tensor<1x2x24x4xf32>) outs(%y0 : tensor<1x2x16x4xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<1x2x16x4xf32>
  return %y1 : tensor<1x2x16x4xf32>
}

// -----

// CHECK-DAG: #[[M0:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2)>
// CHECK-DAG: #[[M1:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d2)>
// CHECK-DAG: #[[M2:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d4)>
// CHECK-DAG: #[[M3:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4)>
// CHECK-LABEL: func @causal_window(
// CHECK: xsa.attention {causal, indexing_maps = [#[[M0]], #[[M1]], #[[M2]], #[[M3]]], scale = 0.353{{[0-9]+}} : f64, window_left = 4 : i64
// CHECK-SAME: ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<2x16x8xf32>, tensor<2x16x8xf32>, tensor<2x16x8xf32>) outs(%{{.*}} : tensor<2x16x8xf32>) -> tensor<2x16x8xf32>
// CHECK-NOT: math.exp
func.func @causal_window(%q: tensor<1x2x16x8xf32>, %k: tensor<1x2x16x8xf32>, %v: tensor<1x2x16x8xf32>) -> tensor<1x2x16x8xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %scale = arith.constant 3.53553390593273786e-01 : f32
  %es = tensor.empty() : tensor<1x2x16x16xf32>
  %er = tensor.empty() : tensor<1x2x16xf32>
  %ey = tensor.empty() : tensor<1x2x16x8xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<1x2x16x16xf32>) -> tensor<1x2x16x16xf32>
  %s1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>) outs(%s0 : tensor<1x2x16x16xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<1x2x16x16xf32>
  %s2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s1 : tensor<1x2x16x16xf32>) outs(%es : tensor<1x2x16x16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %m = arith.mulf %x, %scale : f32
    linalg.yield %m : f32
  } -> tensor<1x2x16x16xf32>
  %s5 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s2 : tensor<1x2x16x16xf32>) outs(%es : tensor<1x2x16x16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %i0 = linalg.index 2 : index
    %j = linalg.index 3 : index
    %off = arith.constant 0 : index
    %i = arith.addi %i0, %off : index
    %cc = arith.cmpi sle, %j, %i : index
    %w = arith.constant 4 : index
    %lo = arith.subi %i, %w : index
    %cw = arith.cmpi sge, %j, %lo : index
    %a0 = arith.andi %cc, %cw : i1
    %m = arith.select %a0, %x, %ninf : f32
    linalg.yield %m : f32
  } -> tensor<1x2x16x16xf32>
  %m0 = linalg.fill ins(%ninf : f32) outs(%er : tensor<1x2x16xf32>) -> tensor<1x2x16xf32>
  %mx = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%s5 : tensor<1x2x16x16xf32>) outs(%m0 : tensor<1x2x16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %m = arith.maximumf %x, %o : f32
    linalg.yield %m : f32
  } -> tensor<1x2x16xf32>
  %ex = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s5, %mx : tensor<1x2x16x16xf32>, tensor<1x2x16xf32>) outs(%es : tensor<1x2x16x16xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %d = arith.subf %x, %y : f32
    %p = math.exp %d : f32
    linalg.yield %p : f32
  } -> tensor<1x2x16x16xf32>
  %l0 = linalg.fill ins(%zero : f32) outs(%er : tensor<1x2x16xf32>) -> tensor<1x2x16xf32>
  %l = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%ex : tensor<1x2x16x16xf32>) outs(%l0 : tensor<1x2x16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %m = arith.addf %x, %o : f32
    linalg.yield %m : f32
  } -> tensor<1x2x16xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%ex, %l : tensor<1x2x16x16xf32>, tensor<1x2x16xf32>) outs(%es : tensor<1x2x16x16xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.divf %x, %y : f32
    linalg.yield %p : f32
  } -> tensor<1x2x16x16xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<1x2x16x8xf32>) -> tensor<1x2x16x8xf32>
  %y1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%p, %v : tensor<1x2x16x16xf32>, tensor<1x2x16x8xf32>) outs(%y0 : tensor<1x2x16x8xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<1x2x16x8xf32>
  return %y1 : tensor<1x2x16x8xf32>
}

// -----

// CHECK-DAG: #[[M0:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2)>
// CHECK-DAG: #[[M1:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d2)>
// CHECK-DAG: #[[M2:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d4)>
// CHECK-DAG: #[[M3:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4)>
// CHECK-LABEL: func @window_both_sides(
// CHECK: xsa.attention {indexing_maps = [#[[M0]], #[[M1]], #[[M2]], #[[M3]]], scale = 0.353{{[0-9]+}} : f64, window_left = 4 : i64, window_right = 4 : i64
// CHECK-SAME: ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<2x16x8xf32>, tensor<2x16x8xf32>, tensor<2x16x8xf32>) outs(%{{.*}} : tensor<2x16x8xf32>) -> tensor<2x16x8xf32>
// CHECK-NOT: math.exp
func.func @window_both_sides(%q: tensor<1x2x16x8xf32>, %k: tensor<1x2x16x8xf32>, %v: tensor<1x2x16x8xf32>) -> tensor<1x2x16x8xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %scale = arith.constant 3.53553390593273786e-01 : f32
  %es = tensor.empty() : tensor<1x2x16x16xf32>
  %er = tensor.empty() : tensor<1x2x16xf32>
  %ey = tensor.empty() : tensor<1x2x16x8xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<1x2x16x16xf32>) -> tensor<1x2x16x16xf32>
  %s1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>) outs(%s0 : tensor<1x2x16x16xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<1x2x16x16xf32>
  %s2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s1 : tensor<1x2x16x16xf32>) outs(%es : tensor<1x2x16x16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %m = arith.mulf %x, %scale : f32
    linalg.yield %m : f32
  } -> tensor<1x2x16x16xf32>
  %s5 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s2 : tensor<1x2x16x16xf32>) outs(%es : tensor<1x2x16x16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %i0 = linalg.index 2 : index
    %j = linalg.index 3 : index
    %off = arith.constant 0 : index
    %i = arith.addi %i0, %off : index
    %w = arith.constant 4 : index
    %lo = arith.subi %i, %w : index
    %cw = arith.cmpi sge, %j, %lo : index
    %hi = arith.addi %i, %w : index
    %ch = arith.cmpi sle, %j, %hi : index
    %a0 = arith.andi %cw, %ch : i1
    %m = arith.select %a0, %x, %ninf : f32
    linalg.yield %m : f32
  } -> tensor<1x2x16x16xf32>
  %m0 = linalg.fill ins(%ninf : f32) outs(%er : tensor<1x2x16xf32>) -> tensor<1x2x16xf32>
  %mx = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%s5 : tensor<1x2x16x16xf32>) outs(%m0 : tensor<1x2x16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %m = arith.maximumf %x, %o : f32
    linalg.yield %m : f32
  } -> tensor<1x2x16xf32>
  %ex = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s5, %mx : tensor<1x2x16x16xf32>, tensor<1x2x16xf32>) outs(%es : tensor<1x2x16x16xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %d = arith.subf %x, %y : f32
    %p = math.exp %d : f32
    linalg.yield %p : f32
  } -> tensor<1x2x16x16xf32>
  %l0 = linalg.fill ins(%zero : f32) outs(%er : tensor<1x2x16xf32>) -> tensor<1x2x16xf32>
  %l = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%ex : tensor<1x2x16x16xf32>) outs(%l0 : tensor<1x2x16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %m = arith.addf %x, %o : f32
    linalg.yield %m : f32
  } -> tensor<1x2x16xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%ex, %l : tensor<1x2x16x16xf32>, tensor<1x2x16xf32>) outs(%es : tensor<1x2x16x16xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.divf %x, %y : f32
    linalg.yield %p : f32
  } -> tensor<1x2x16x16xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<1x2x16x8xf32>) -> tensor<1x2x16x8xf32>
  %y1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%p, %v : tensor<1x2x16x16xf32>, tensor<1x2x16x8xf32>) outs(%y0 : tensor<1x2x16x8xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<1x2x16x8xf32>
  return %y1 : tensor<1x2x16x8xf32>
}

// -----

// A mask that is an argument stays an operand.
// CHECK-DAG: #[[M0:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3)>
// CHECK-DAG: #[[M1:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d4, d3)>
// CHECK-DAG: #[[M2:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d4, d5)>
// CHECK-DAG: #[[M3:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d2, d4)>
// CHECK-DAG: #[[M4:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d5)>
// CHECK-LABEL: func @boolean_mask(
// CHECK: xsa.attention {indexing_maps = [#[[M0]], #[[M1]], #[[M2]], #[[M3]], #[[M4]]], scale = 0.353{{[0-9]+}} : f64
// CHECK-SAME: ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<2x2x16x8xf32>, tensor<2x2x16x8xf32>, tensor<2x2x16x8xf32>) mask(%{{.*}} : tensor<2x16x16xi1>) outs(%{{.*}} : tensor<2x2x16x8xf32>) -> tensor<2x2x16x8xf32>
// CHECK-NOT: math.exp
func.func @boolean_mask(%q: tensor<2x2x16x8xf32>, %k: tensor<2x2x16x8xf32>, %v: tensor<2x2x16x8xf32>, %mask: tensor<2x1x16x16xi1>) -> tensor<2x2x16x8xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %scale = arith.constant 3.53553390593273786e-01 : f32
  %es = tensor.empty() : tensor<2x2x16x16xf32>
  %er = tensor.empty() : tensor<2x2x16xf32>
  %ey = tensor.empty() : tensor<2x2x16x8xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<2x2x16x16xf32>) -> tensor<2x2x16x16xf32>
  %s1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<2x2x16x8xf32>, tensor<2x2x16x8xf32>) outs(%s0 : tensor<2x2x16x16xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<2x2x16x16xf32>
  %s2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s1 : tensor<2x2x16x16xf32>) outs(%es : tensor<2x2x16x16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %m = arith.mulf %x, %scale : f32
    linalg.yield %m : f32
  } -> tensor<2x2x16x16xf32>
  %s6 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, 0, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s2, %mask : tensor<2x2x16x16xf32>, tensor<2x1x16x16xi1>) outs(%es : tensor<2x2x16x16xf32>) {
  ^bb0(%x: f32, %y: i1, %o: f32):
    %m = arith.select %y, %x, %ninf : f32
    linalg.yield %m : f32
  } -> tensor<2x2x16x16xf32>
  %m0 = linalg.fill ins(%ninf : f32) outs(%er : tensor<2x2x16xf32>) -> tensor<2x2x16xf32>
  %mx = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%s6 : tensor<2x2x16x16xf32>) outs(%m0 : tensor<2x2x16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %m = arith.maximumf %x, %o : f32
    linalg.yield %m : f32
  } -> tensor<2x2x16xf32>
  %ex = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s6, %mx : tensor<2x2x16x16xf32>, tensor<2x2x16xf32>) outs(%es : tensor<2x2x16x16xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %d = arith.subf %x, %y : f32
    %p = math.exp %d : f32
    linalg.yield %p : f32
  } -> tensor<2x2x16x16xf32>
  %l0 = linalg.fill ins(%zero : f32) outs(%er : tensor<2x2x16xf32>) -> tensor<2x2x16xf32>
  %l = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%ex : tensor<2x2x16x16xf32>) outs(%l0 : tensor<2x2x16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %m = arith.addf %x, %o : f32
    linalg.yield %m : f32
  } -> tensor<2x2x16xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%ex, %l : tensor<2x2x16x16xf32>, tensor<2x2x16xf32>) outs(%es : tensor<2x2x16x16xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.divf %x, %y : f32
    linalg.yield %p : f32
  } -> tensor<2x2x16x16xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<2x2x16x8xf32>) -> tensor<2x2x16x8xf32>
  %y1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%p, %v : tensor<2x2x16x16xf32>, tensor<2x2x16x8xf32>) outs(%y0 : tensor<2x2x16x8xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<2x2x16x8xf32>
  return %y1 : tensor<2x2x16x8xf32>
}

// -----

// CHECK-DAG: #[[M0:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2)>
// CHECK-DAG: #[[M1:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d2)>
// CHECK-DAG: #[[M2:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d4)>
// CHECK-DAG: #[[M3:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3)>
// CHECK-DAG: #[[M4:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4)>
// CHECK-LABEL: func @bias(
// CHECK: xsa.attention {indexing_maps = [#[[M0]], #[[M1]], #[[M2]], #[[M3]], #[[M4]]], scale = 0.353{{[0-9]+}} : f64
// CHECK-SAME: ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<2x16x8xf32>, tensor<2x16x8xf32>, tensor<2x16x8xf32>) bias(%{{.*}} : tensor<2x16x16xf32>) outs(%{{.*}} : tensor<2x16x8xf32>) -> tensor<2x16x8xf32>
// CHECK-NOT: math.exp
func.func @bias(%q: tensor<1x2x16x8xf32>, %k: tensor<1x2x16x8xf32>, %v: tensor<1x2x16x8xf32>, %bias: tensor<1x2x16x16xf32>) -> tensor<1x2x16x8xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %scale = arith.constant 3.53553390593273786e-01 : f32
  %es = tensor.empty() : tensor<1x2x16x16xf32>
  %er = tensor.empty() : tensor<1x2x16xf32>
  %ey = tensor.empty() : tensor<1x2x16x8xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<1x2x16x16xf32>) -> tensor<1x2x16x16xf32>
  %s1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>) outs(%s0 : tensor<1x2x16x16xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<1x2x16x16xf32>
  %s2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s1 : tensor<1x2x16x16xf32>) outs(%es : tensor<1x2x16x16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %m = arith.mulf %x, %scale : f32
    linalg.yield %m : f32
  } -> tensor<1x2x16x16xf32>
  %s4 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s2, %bias : tensor<1x2x16x16xf32>, tensor<1x2x16x16xf32>) outs(%es : tensor<1x2x16x16xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.addf %x, %y : f32
    linalg.yield %m : f32
  } -> tensor<1x2x16x16xf32>
  %m0 = linalg.fill ins(%ninf : f32) outs(%er : tensor<1x2x16xf32>) -> tensor<1x2x16xf32>
  %mx = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%s4 : tensor<1x2x16x16xf32>) outs(%m0 : tensor<1x2x16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %m = arith.maximumf %x, %o : f32
    linalg.yield %m : f32
  } -> tensor<1x2x16xf32>
  %ex = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s4, %mx : tensor<1x2x16x16xf32>, tensor<1x2x16xf32>) outs(%es : tensor<1x2x16x16xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %d = arith.subf %x, %y : f32
    %p = math.exp %d : f32
    linalg.yield %p : f32
  } -> tensor<1x2x16x16xf32>
  %l0 = linalg.fill ins(%zero : f32) outs(%er : tensor<1x2x16xf32>) -> tensor<1x2x16xf32>
  %l = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%ex : tensor<1x2x16x16xf32>) outs(%l0 : tensor<1x2x16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %m = arith.addf %x, %o : f32
    linalg.yield %m : f32
  } -> tensor<1x2x16xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%ex, %l : tensor<1x2x16x16xf32>, tensor<1x2x16xf32>) outs(%es : tensor<1x2x16x16xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.divf %x, %y : f32
    linalg.yield %p : f32
  } -> tensor<1x2x16x16xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<1x2x16x8xf32>) -> tensor<1x2x16x8xf32>
  %y1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%p, %v : tensor<1x2x16x16xf32>, tensor<1x2x16x8xf32>) outs(%y0 : tensor<1x2x16x8xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<1x2x16x8xf32>
  return %y1 : tensor<1x2x16x8xf32>
}

// -----

// CHECK-DAG: #[[M0:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2)>
// CHECK-DAG: #[[M1:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d2)>
// CHECK-DAG: #[[M2:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d4)>
// CHECK-DAG: #[[M3:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d1, d3)>
// CHECK-DAG: #[[M4:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3)>
// CHECK-DAG: #[[M5:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4)>
// CHECK-LABEL: func @softcap_bias_mask_causal(
// CHECK: xsa.attention {causal, indexing_maps = [#[[M0]], #[[M1]], #[[M2]], #[[M3]], #[[M4]], #[[M5]]], scale = 0.353{{[0-9]+}} : f64, softcap = 2.000000e+01 : f64
// CHECK-SAME: ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<2x16x8xf32>, tensor<2x16x8xf32>, tensor<2x16x8xf32>) mask(%{{.*}} : tensor<16x16xi1>) bias(%{{.*}} : tensor<2x16x16xf32>) outs(%{{.*}} : tensor<2x16x8xf32>) -> tensor<2x16x8xf32>
// CHECK-NOT: math.exp
func.func @softcap_bias_mask_causal(%q: tensor<1x2x16x8xf32>, %k: tensor<1x2x16x8xf32>, %v: tensor<1x2x16x8xf32>, %mask: tensor<1x1x16x16xi1>, %bias: tensor<1x2x16x16xf32>) -> tensor<1x2x16x8xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %scale = arith.constant 3.53553390593273786e-01 : f32
  %es = tensor.empty() : tensor<1x2x16x16xf32>
  %er = tensor.empty() : tensor<1x2x16xf32>
  %ey = tensor.empty() : tensor<1x2x16x8xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<1x2x16x16xf32>) -> tensor<1x2x16x16xf32>
  %s1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>) outs(%s0 : tensor<1x2x16x16xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<1x2x16x16xf32>
  %s2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s1 : tensor<1x2x16x16xf32>) outs(%es : tensor<1x2x16x16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %m = arith.mulf %x, %scale : f32
    linalg.yield %m : f32
  } -> tensor<1x2x16x16xf32>
  %cap = arith.constant 2.00000000000000000e+01 : f32
  %s3 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s2 : tensor<1x2x16x16xf32>) outs(%es : tensor<1x2x16x16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %d = arith.divf %x, %cap : f32
    %th = math.tanh %d : f32
    %m = arith.mulf %th, %cap : f32
    linalg.yield %m : f32
  } -> tensor<1x2x16x16xf32>
  %s4 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s3, %bias : tensor<1x2x16x16xf32>, tensor<1x2x16x16xf32>) outs(%es : tensor<1x2x16x16xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.addf %x, %y : f32
    linalg.yield %m : f32
  } -> tensor<1x2x16x16xf32>
  %s5 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s4 : tensor<1x2x16x16xf32>) outs(%es : tensor<1x2x16x16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %i0 = linalg.index 2 : index
    %j = linalg.index 3 : index
    %off = arith.constant 0 : index
    %i = arith.addi %i0, %off : index
    %cc = arith.cmpi sle, %j, %i : index
    %m = arith.select %cc, %x, %ninf : f32
    linalg.yield %m : f32
  } -> tensor<1x2x16x16xf32>
  %s6 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, 0, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s5, %mask : tensor<1x2x16x16xf32>, tensor<1x1x16x16xi1>) outs(%es : tensor<1x2x16x16xf32>) {
  ^bb0(%x: f32, %y: i1, %o: f32):
    %m = arith.select %y, %x, %ninf : f32
    linalg.yield %m : f32
  } -> tensor<1x2x16x16xf32>
  %m0 = linalg.fill ins(%ninf : f32) outs(%er : tensor<1x2x16xf32>) -> tensor<1x2x16xf32>
  %mx = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%s6 : tensor<1x2x16x16xf32>) outs(%m0 : tensor<1x2x16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %m = arith.maximumf %x, %o : f32
    linalg.yield %m : f32
  } -> tensor<1x2x16xf32>
  %ex = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s6, %mx : tensor<1x2x16x16xf32>, tensor<1x2x16xf32>) outs(%es : tensor<1x2x16x16xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %d = arith.subf %x, %y : f32
    %p = math.exp %d : f32
    linalg.yield %p : f32
  } -> tensor<1x2x16x16xf32>
  %l0 = linalg.fill ins(%zero : f32) outs(%er : tensor<1x2x16xf32>) -> tensor<1x2x16xf32>
  %l = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%ex : tensor<1x2x16x16xf32>) outs(%l0 : tensor<1x2x16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %m = arith.addf %x, %o : f32
    linalg.yield %m : f32
  } -> tensor<1x2x16xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%ex, %l : tensor<1x2x16x16xf32>, tensor<1x2x16xf32>) outs(%es : tensor<1x2x16x16xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.divf %x, %y : f32
    linalg.yield %p : f32
  } -> tensor<1x2x16x16xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<1x2x16x8xf32>) -> tensor<1x2x16x8xf32>
  %y1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%p, %v : tensor<1x2x16x16xf32>, tensor<1x2x16x8xf32>) outs(%y0 : tensor<1x2x16x8xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<1x2x16x8xf32>
  return %y1 : tensor<1x2x16x8xf32>
}

// -----

// Repeated heads are absorbed: key and value keep their two.
// CHECK-DAG: #[[M0:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3)>
// CHECK-DAG: #[[M1:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d4, d3)>
// CHECK-DAG: #[[M2:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d4, d5)>
// CHECK-DAG: #[[M3:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d5)>
// CHECK-LABEL: func @grouped_heads(
// CHECK: xsa.attention {indexing_maps = [#[[M0]], #[[M1]], #[[M2]], #[[M3]]], scale = 0.353{{[0-9]+}} : f64
// CHECK-SAME: ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<2x2x16x8xf32>, tensor<2x16x8xf32>, tensor<2x16x8xf32>) outs(%{{.*}} : tensor<2x2x16x8xf32>) -> tensor<2x2x16x8xf32>
// CHECK-NOT: math.exp
func.func @grouped_heads(%q: tensor<1x4x16x8xf32>, %k: tensor<1x2x16x8xf32>, %v: tensor<1x2x16x8xf32>) -> tensor<1x4x16x8xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %scale = arith.constant 3.53553390593273786e-01 : f32
  %es = tensor.empty() : tensor<1x4x16x16xf32>
  %er = tensor.empty() : tensor<1x4x16xf32>
  %ey = tensor.empty() : tensor<1x4x16x8xf32>
  %ke = tensor.empty() : tensor<1x2x2x16x8xf32>
  %kb = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%k : tensor<1x2x16x8xf32>) outs(%ke : tensor<1x2x2x16x8xf32>) {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  } -> tensor<1x2x2x16x8xf32>
  %kr = tensor.collapse_shape %kb [[0], [1, 2], [3], [4]] : tensor<1x2x2x16x8xf32> into tensor<1x4x16x8xf32>
  %ve = tensor.empty() : tensor<1x2x2x16x8xf32>
  %vb = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%v : tensor<1x2x16x8xf32>) outs(%ve : tensor<1x2x2x16x8xf32>) {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  } -> tensor<1x2x2x16x8xf32>
  %vr = tensor.collapse_shape %vb [[0], [1, 2], [3], [4]] : tensor<1x2x2x16x8xf32> into tensor<1x4x16x8xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<1x4x16x16xf32>) -> tensor<1x4x16x16xf32>
  %s1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%q, %kr : tensor<1x4x16x8xf32>, tensor<1x4x16x8xf32>) outs(%s0 : tensor<1x4x16x16xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<1x4x16x16xf32>
  %s2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s1 : tensor<1x4x16x16xf32>) outs(%es : tensor<1x4x16x16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %m = arith.mulf %x, %scale : f32
    linalg.yield %m : f32
  } -> tensor<1x4x16x16xf32>
  %m0 = linalg.fill ins(%ninf : f32) outs(%er : tensor<1x4x16xf32>) -> tensor<1x4x16xf32>
  %mx = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%s2 : tensor<1x4x16x16xf32>) outs(%m0 : tensor<1x4x16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %m = arith.maximumf %x, %o : f32
    linalg.yield %m : f32
  } -> tensor<1x4x16xf32>
  %ex = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s2, %mx : tensor<1x4x16x16xf32>, tensor<1x4x16xf32>) outs(%es : tensor<1x4x16x16xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %d = arith.subf %x, %y : f32
    %p = math.exp %d : f32
    linalg.yield %p : f32
  } -> tensor<1x4x16x16xf32>
  %l0 = linalg.fill ins(%zero : f32) outs(%er : tensor<1x4x16xf32>) -> tensor<1x4x16xf32>
  %l = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%ex : tensor<1x4x16x16xf32>) outs(%l0 : tensor<1x4x16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %m = arith.addf %x, %o : f32
    linalg.yield %m : f32
  } -> tensor<1x4x16xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%ex, %l : tensor<1x4x16x16xf32>, tensor<1x4x16xf32>) outs(%es : tensor<1x4x16x16xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.divf %x, %y : f32
    linalg.yield %p : f32
  } -> tensor<1x4x16x16xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<1x4x16x8xf32>) -> tensor<1x4x16x8xf32>
  %y1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%p, %vr : tensor<1x4x16x16xf32>, tensor<1x4x16x8xf32>) outs(%y0 : tensor<1x4x16x8xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %m = arith.mulf %x, %y : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<1x4x16x8xf32>
  return %y1 : tensor<1x4x16x8xf32>
}

// -----

// CHECK-DAG: #[[M0:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2)>
// CHECK-DAG: #[[M1:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d2)>
// CHECK-DAG: #[[M2:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d4)>
// CHECK-DAG: #[[M3:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4)>
// CHECK-LABEL: func @half_precision(
// CHECK: xsa.attention {indexing_maps = [#[[M0]], #[[M1]], #[[M2]], #[[M3]]], scale = 0.353{{[0-9]+}} : f64
// CHECK-SAME: ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<2x16x8xf16>, tensor<2x16x8xf16>, tensor<2x16x8xf16>) outs(%{{.*}} : tensor<2x16x8xf32>) -> tensor<2x16x8xf32>
// CHECK-NOT: math.exp
func.func @half_precision(%q: tensor<1x2x16x8xf16>, %k: tensor<1x2x16x8xf16>, %v: tensor<1x2x16x8xf16>) -> tensor<1x2x16x8xf16> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %scale = arith.constant 3.53553390593273786e-01 : f32
  %es = tensor.empty() : tensor<1x2x16x16xf32>
  %er = tensor.empty() : tensor<1x2x16xf32>
  %ey = tensor.empty() : tensor<1x2x16x8xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<1x2x16x16xf32>) -> tensor<1x2x16x16xf32>
  %s1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<1x2x16x8xf16>, tensor<1x2x16x8xf16>) outs(%s0 : tensor<1x2x16x16xf32>) {
  ^bb0(%x: f16, %y: f16, %o: f32):
    %xx = arith.extf %x : f16 to f32
    %yx = arith.extf %y : f16 to f32
    %m = arith.mulf %xx, %yx : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<1x2x16x16xf32>
  %s2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s1 : tensor<1x2x16x16xf32>) outs(%es : tensor<1x2x16x16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %m = arith.mulf %x, %scale : f32
    linalg.yield %m : f32
  } -> tensor<1x2x16x16xf32>
  %m0 = linalg.fill ins(%ninf : f32) outs(%er : tensor<1x2x16xf32>) -> tensor<1x2x16xf32>
  %mx = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%s2 : tensor<1x2x16x16xf32>) outs(%m0 : tensor<1x2x16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %m = arith.maximumf %x, %o : f32
    linalg.yield %m : f32
  } -> tensor<1x2x16xf32>
  %ex = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s2, %mx : tensor<1x2x16x16xf32>, tensor<1x2x16xf32>) outs(%es : tensor<1x2x16x16xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %d = arith.subf %x, %y : f32
    %p = math.exp %d : f32
    linalg.yield %p : f32
  } -> tensor<1x2x16x16xf32>
  %l0 = linalg.fill ins(%zero : f32) outs(%er : tensor<1x2x16xf32>) -> tensor<1x2x16xf32>
  %l = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%ex : tensor<1x2x16x16xf32>) outs(%l0 : tensor<1x2x16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %m = arith.addf %x, %o : f32
    linalg.yield %m : f32
  } -> tensor<1x2x16xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%ex, %l : tensor<1x2x16x16xf32>, tensor<1x2x16xf32>) outs(%es : tensor<1x2x16x16xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.divf %x, %y : f32
    linalg.yield %p : f32
  } -> tensor<1x2x16x16xf32>
  %ep = tensor.empty() : tensor<1x2x16x16xf16>
  %pe = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%p : tensor<1x2x16x16xf32>) outs(%ep : tensor<1x2x16x16xf16>) {
  ^bb0(%x: f32, %o: f16):
    %t = arith.truncf %x : f32 to f16
    linalg.yield %t : f16
  } -> tensor<1x2x16x16xf16>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<1x2x16x8xf32>) -> tensor<1x2x16x8xf32>
  %y1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%pe, %v : tensor<1x2x16x16xf16>, tensor<1x2x16x8xf16>) outs(%y0 : tensor<1x2x16x8xf32>) {
  ^bb0(%x: f16, %y: f16, %o: f32):
    %xx = arith.extf %x : f16 to f32
    %yx = arith.extf %y : f16 to f32
    %m = arith.mulf %xx, %yx : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<1x2x16x8xf32>
  %eo = tensor.empty() : tensor<1x2x16x8xf16>
  %out = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%y1 : tensor<1x2x16x8xf32>) outs(%eo : tensor<1x2x16x8xf16>) {
  ^bb0(%x: f32, %o: f16):
    %t = arith.truncf %x : f32 to f16
    linalg.yield %t : f16
  } -> tensor<1x2x16x8xf16>
  return %out : tensor<1x2x16x8xf16>
}

// -----

// CHECK-DAG: #[[M0:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2)>
// CHECK-DAG: #[[M1:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d2)>
// CHECK-DAG: #[[M2:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d4)>
// CHECK-DAG: #[[M3:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4)>
// CHECK-LABEL: func @double_precision(
// CHECK: xsa.attention {indexing_maps = [#[[M0]], #[[M1]], #[[M2]], #[[M3]]], scale = 0.353{{[0-9]+}} : f64
// CHECK-SAME: ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<2x16x8xf64>, tensor<2x16x8xf64>, tensor<2x16x8xf64>) outs(%{{.*}} : tensor<2x16x8xf64>) -> tensor<2x16x8xf64>
// CHECK-NOT: math.exp
func.func @double_precision(%q: tensor<1x2x16x8xf64>, %k: tensor<1x2x16x8xf64>, %v: tensor<1x2x16x8xf64>) -> tensor<1x2x16x8xf64> {
  %zero = arith.constant 0.0 : f64
  %ninf = arith.constant 0xFFF0000000000000 : f64
  %scale = arith.constant 3.53553390593273786e-01 : f64
  %es = tensor.empty() : tensor<1x2x16x16xf64>
  %er = tensor.empty() : tensor<1x2x16xf64>
  %ey = tensor.empty() : tensor<1x2x16x8xf64>
  %s0 = linalg.fill ins(%zero : f64) outs(%es : tensor<1x2x16x16xf64>) -> tensor<1x2x16x16xf64>
  %s1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<1x2x16x8xf64>, tensor<1x2x16x8xf64>) outs(%s0 : tensor<1x2x16x16xf64>) {
  ^bb0(%x: f64, %y: f64, %o: f64):
    %m = arith.mulf %x, %y : f64
    %r = arith.addf %o, %m : f64
    linalg.yield %r : f64
  } -> tensor<1x2x16x16xf64>
  %s2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s1 : tensor<1x2x16x16xf64>) outs(%es : tensor<1x2x16x16xf64>) {
  ^bb0(%x: f64, %o: f64):
    %m = arith.mulf %x, %scale : f64
    linalg.yield %m : f64
  } -> tensor<1x2x16x16xf64>
  %m0 = linalg.fill ins(%ninf : f64) outs(%er : tensor<1x2x16xf64>) -> tensor<1x2x16xf64>
  %mx = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%s2 : tensor<1x2x16x16xf64>) outs(%m0 : tensor<1x2x16xf64>) {
  ^bb0(%x: f64, %o: f64):
    %m = arith.maximumf %x, %o : f64
    linalg.yield %m : f64
  } -> tensor<1x2x16xf64>
  %ex = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s2, %mx : tensor<1x2x16x16xf64>, tensor<1x2x16xf64>) outs(%es : tensor<1x2x16x16xf64>) {
  ^bb0(%x: f64, %y: f64, %o: f64):
    %d = arith.subf %x, %y : f64
    %p = math.exp %d : f64
    linalg.yield %p : f64
  } -> tensor<1x2x16x16xf64>
  %l0 = linalg.fill ins(%zero : f64) outs(%er : tensor<1x2x16xf64>) -> tensor<1x2x16xf64>
  %l = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%ex : tensor<1x2x16x16xf64>) outs(%l0 : tensor<1x2x16xf64>) {
  ^bb0(%x: f64, %o: f64):
    %m = arith.addf %x, %o : f64
    linalg.yield %m : f64
  } -> tensor<1x2x16xf64>
  %p = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%ex, %l : tensor<1x2x16x16xf64>, tensor<1x2x16xf64>) outs(%es : tensor<1x2x16x16xf64>) {
  ^bb0(%x: f64, %y: f64, %o: f64):
    %p = arith.divf %x, %y : f64
    linalg.yield %p : f64
  } -> tensor<1x2x16x16xf64>
  %y0 = linalg.fill ins(%zero : f64) outs(%ey : tensor<1x2x16x8xf64>) -> tensor<1x2x16x8xf64>
  %y1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%p, %v : tensor<1x2x16x16xf64>, tensor<1x2x16x8xf64>) outs(%y0 : tensor<1x2x16x8xf64>) {
  ^bb0(%x: f64, %y: f64, %o: f64):
    %m = arith.mulf %x, %y : f64
    %r = arith.addf %o, %m : f64
    linalg.yield %r : f64
  } -> tensor<1x2x16x8xf64>
  return %y1 : tensor<1x2x16x8xf64>
}

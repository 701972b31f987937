"""Attention with a mask of many steps, and probabilities that are also used elsewhere."""

import sys

steps = int(sys.argv[1])
lines = [
    "func.func @many(%x: tensor<8x4xf32>, %m0: tensor<8x8xi1>, %a: tensor<8x8xi1>, %b: tensor<8x8xi1>)",
    "    -> (tensor<8x4xf32>, tensor<8x8xf32>) {",
    "  %zero = arith.constant 0.0 : f32",
    "  %es = tensor.empty() : tensor<8x8xf32>",
    "  %ey = tensor.empty() : tensor<8x4xf32>",
    "  %et = tensor.empty() : tensor<4x8xf32>",
    "  %eb = tensor.empty() : tensor<8x8xi1>",
    "  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>",
    "  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>",
]
for i in range(steps):
    lines.append(
        f"  %m{i + 1} = linalg.select ins(%a, %m{i}, %b : tensor<8x8xi1>, tensor<8x8xi1>, tensor<8x8xi1>) outs(%eb : tensor<8x8xi1>) -> tensor<8x8xi1>"
    )
lines += [
    "  %t = linalg.transpose ins(%x : tensor<8x4xf32>) outs(%et : tensor<4x8xf32>) permutation = [1, 0]",
    "  %s = linalg.matmul ins(%x, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>",
    "  %low = arith.constant dense<0xFF800000> : tensor<8x8xf32>",
    f"  %h = linalg.select ins(%m{steps}, %s, %low : tensor<8x8xi1>, tensor<8x8xf32>, tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>",
    "  %q = linalg.softmax dimension(1) ins(%h : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>",
    f"  %p = linalg.select ins(%m{steps}, %q, %s0 : tensor<8x8xi1>, tensor<8x8xf32>, tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>",
    "  %y = linalg.matmul ins(%p, %x : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>",
    "  %z = linalg.exp ins(%q : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>",
    "  return %y, %z : tensor<8x4xf32>, tensor<8x8xf32>",
    "}",
]
print("\n".join(lines))

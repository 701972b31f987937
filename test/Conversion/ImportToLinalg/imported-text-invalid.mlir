// RUN: xsa-opt %s --split-input-file --verify-diagnostics

// Data that neither version writes is refused as ever, and what follows a
// constant that was read is where it was.

func.func @too_long() -> tensor<2xi1> {
  // expected-error @+1 {{elements hex data size is invalid for provided type: 'tensor<2xi1>'}}
  %0 = arith.constant dense<"0x000101"> : tensor<2xi1>
  return %0 : tensor<2xi1>
}

// -----

func.func @not_boolean() -> tensor<2xi1> {
  // expected-error @+1 {{elements hex data size is invalid for provided type: 'tensor<2xi1>'}}
  %0 = arith.constant dense<"0x0002"> : tensor<2xi1>
  return %0 : tensor<2xi1>
}

// -----

func.func @huge() -> tensor<99999999999x99999999999xi1> {
  // expected-error @+1 {{elements hex data size is invalid for provided type}}
  %0 = arith.constant dense<"0x0001"> : tensor<99999999999x99999999999xi1>
  return %0 : tensor<99999999999x99999999999xi1>
}

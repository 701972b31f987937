// REQUIRES: execution, numpy
// Every element type in and out; bf16 travels as float32, i1 as bool.
// RUN: %python %S/Inputs/npz.py write %t.in.npz \
// RUN:   "arg0=np.array([1.5, 1e30], np.float32)" "arg1=np.array([1.5, 1e300])" \
// RUN:   "arg2=np.array([1.5, 60000], np.float16)" "arg3=np.array([1.00390625, 1.01171875], np.float32)" \
// RUN:   "arg4=np.array([True, False])" "arg5=np.array([-128, 127], np.int8)" \
// RUN:   "arg6=np.array([-2**15, 1], np.int16)" "arg7=np.array([-2**31, 1], np.int32)" \
// RUN:   "arg8=np.array([-2**63, 1], np.int64)"
// RUN: xsa-run %s --inputs %t.in.npz --outputs %t.out.npz
// bf16 rounds to nearest, ties to even: 1 + 2^-8 down, 1 + 3*2^-8 up.
// RUN: %python %S/Inputs/npz.py check %t.out.npz --inputs %t.in.npz \
// RUN:   out0=arg0 out1=arg1 out2=arg2 "out3=np.array([1, 1.015625], np.float32)" out4=arg4 \
// RUN:   out5=arg5 out6=arg6 out7=arg7 out8=arg8 | FileCheck %s
// Unsigned arrays of the same width match.
// RUN: %python %S/Inputs/npz.py write %t.u.npz \
// RUN:   "arg0=np.zeros(2, np.float32)" "arg1=np.zeros(2)" "arg2=np.zeros(2, np.float16)" \
// RUN:   "arg3=np.zeros(2, np.float32)" "arg4=np.zeros(2, np.bool_)" "arg5=np.array([1, 255], np.uint8)" \
// RUN:   "arg6=np.zeros(2, np.uint16)" "arg7=np.zeros(2, np.uint32)" "arg8=np.zeros(2, np.uint64)"
// RUN: xsa-run %s --inputs %t.u.npz --outputs %t.out.npz
// RUN: %python %S/Inputs/npz.py check %t.out.npz "out5=np.array([1, -1], np.int8)" \
// RUN:   "out0=np.zeros(2, np.float32)" "out1=np.zeros(2)" "out2=np.zeros(2, np.float16)" \
// RUN:   "out3=np.zeros(2, np.float32)" "out4=np.zeros(2, np.bool_)" "out6=np.zeros(2, np.int16)" \
// RUN:   "out7=np.zeros(2, np.int32)" "out8=np.zeros(2, np.int64)" | FileCheck %s
// CHECK: arrays agree

func.func @main(%f32: tensor<2xf32>, %f64: tensor<2xf64>, %f16: tensor<2xf16>, %bf16: tensor<2xbf16>, %i1: tensor<2xi1>,
                %i8: tensor<2xi8>, %i16: tensor<2xi16>, %i32: tensor<2xi32>, %i64: tensor<2xi64>)
    -> (tensor<2xf32>, tensor<2xf64>, tensor<2xf16>, tensor<2xbf16>, tensor<2xi1>,
        tensor<2xi8>, tensor<2xi16>, tensor<2xi32>, tensor<2xi64>) {
  return %f32, %f64, %f16, %bf16, %i1, %i8, %i16, %i32, %i64
      : tensor<2xf32>, tensor<2xf64>, tensor<2xf16>, tensor<2xbf16>, tensor<2xi1>,
        tensor<2xi8>, tensor<2xi16>, tensor<2xi32>, tensor<2xi64>
}

// RUN: xsa-opt %s -convert-assert-to-xsa-runtime -verify-diagnostics

func.func @structured(%n: index, %ok: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    // expected-error @below {{is still inside 'scf.for'; structured control flow must be lowered first}}
    cf.assert %ok, "no"
  }
  return
}

#include "xsa/Dialect/XSA/IR/XSA.h"

using namespace mlir;
using namespace xsa;

FailureOr<SmallVector<Value>> AttentionOp::decomposeOperation(OpBuilder &) {
  return failure();
}
FailureOr<SmallVector<Value>> ExcludeOp::decomposeOperation(OpBuilder &) {
  return failure();
}

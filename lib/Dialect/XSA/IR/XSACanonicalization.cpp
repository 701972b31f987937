#include "xsa/Dialect/XSA/IR/XSA.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace xsa;

void AttentionOp::getCanonicalizationPatterns(RewritePatternSet &,
                                              MLIRContext *) {}
void ExcludeOp::getCanonicalizationPatterns(RewritePatternSet &,
                                            MLIRContext *) {}

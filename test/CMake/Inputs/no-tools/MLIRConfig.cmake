# The MLIR in XSA_REAL_MLIR_DIR as it would be without the test tools.
include(${XSA_REAL_MLIR_DIR}/MLIRConfig.cmake)
set(LLVM_TOOLS_BINARY_DIR ${CMAKE_CURRENT_LIST_DIR})

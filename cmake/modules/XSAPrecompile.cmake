# Most of the time of a full build goes into reading MLIR's headers again and
# again. With XSA_PRECOMPILE_HEADERS those that most files use are read once.
# Off by default: a file must also compile with its own includes alone.
# Included once all of lib/ is known.

if(NOT XSA_PRECOMPILE_HEADERS)
  return()
endif()

# A library of its own holds the result; it has no dependencies, and the flags of
# all others.
file(WRITE ${XSA_BINARY_DIR}/precompiled.cpp "// Holds the precompiled headers.\n")
add_library(XSAPrecompiled OBJECT ${XSA_BINARY_DIR}/precompiled.cpp)
llvm_update_compile_flags(XSAPrecompiled)
target_precompile_headers(XSAPrecompiled PRIVATE
  <mlir/Dialect/Affine/IR/AffineOps.h>
  <mlir/Dialect/Arith/IR/Arith.h>
  <mlir/Dialect/Arith/Utils/Utils.h>
  <mlir/Dialect/Func/IR/FuncOps.h>
  <mlir/Dialect/Linalg/IR/Linalg.h>
  <mlir/Dialect/Math/IR/Math.h>
  <mlir/Dialect/MemRef/IR/MemRef.h>
  <mlir/Dialect/SCF/IR/SCF.h>
  <mlir/Dialect/Tensor/IR/Tensor.h>
  <mlir/IR/PatternMatch.h>
  <mlir/Pass/Pass.h>
  )

foreach(library ${XSA_LIBRARIES})
  if(TARGET obj.${library})
    set(library obj.${library})
  endif()
  target_precompile_headers(${library} REUSE_FROM XSAPrecompiled)
endforeach()

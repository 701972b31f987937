# An MLIR of another version, as far as find_package can tell.
set(LLVM_VERSION_MAJOR 21)
set(LLVM_PACKAGE_VERSION 21.1.0)

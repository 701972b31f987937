# Finds LLVM and MLIR 22 and loads their CMake helpers, or says what to install.
# Inside an LLVM tree everything is already there and only the helpers are used.

set(XSA_MLIR_MAJOR 22)

if(XSA_STANDALONE_BUILD)
  # find_package would quietly go on to the next place it knows.
  if(MLIR_DIR AND NOT EXISTS "${MLIR_DIR}/MLIRConfig.cmake")
    message(FATAL_ERROR
      "There is no MLIRConfig.cmake in MLIR_DIR, which is ${MLIR_DIR}.\n"
      "Pass -DMLIR_DIR=<prefix>/lib/cmake/mlir of an installed LLVM with MLIR.")
  endif()
  find_package(MLIR CONFIG QUIET HINTS /usr/lib/llvm-${XSA_MLIR_MAJOR}/lib/cmake/mlir)
  if(NOT MLIR_FOUND)
    message(FATAL_ERROR
      "MLIR ${XSA_MLIR_MAJOR} was not found.\n"
      "On Debian or Ubuntu: apt-get install libmlir-${XSA_MLIR_MAJOR}-dev mlir-${XSA_MLIR_MAJOR}-tools llvm-${XSA_MLIR_MAJOR}-dev\n"
      "(scripts/setup.sh does this). For another build of LLVM pass\n"
      "-DMLIR_DIR=<prefix>/lib/cmake/mlir.")
  endif()
  if(NOT LLVM_VERSION_MAJOR EQUAL XSA_MLIR_MAJOR)
    message(FATAL_ERROR
      "xsa-mlir needs LLVM/MLIR ${XSA_MLIR_MAJOR}, but ${MLIR_DIR} is version ${LLVM_PACKAGE_VERSION}. "
      "Point -DMLIR_DIR at an LLVM ${XSA_MLIR_MAJOR} build.")
  endif()
  message(STATUS "Using MLIR ${LLVM_PACKAGE_VERSION} from ${MLIR_DIR}")

  # The packaged MLIR has one shared library; its static archives must not be
  # linked beside it, since type ids and options would exist twice.
  if(NOT DEFINED MLIR_LINK_MLIR_DYLIB)
    if(TARGET MLIR)
      set(MLIR_LINK_MLIR_DYLIB ON)
    else()
      set(MLIR_LINK_MLIR_DYLIB OFF)
    endif()
  endif()
  set(LLVM_RUNTIME_OUTPUT_INTDIR ${CMAKE_BINARY_DIR}/bin)
  set(LLVM_LIBRARY_OUTPUT_INTDIR ${CMAKE_BINARY_DIR}/lib)
  set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
  set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
  set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
  # Installed tools find libMLIR where it was at build time.
  set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)

  list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
  include(TableGen)
  include(AddLLVM)
  include(AddMLIR)
  include(HandleLLVMOptions)
else()
  set(MLIR_MAIN_SRC_DIR ${LLVM_MAIN_SRC_DIR}/../mlir)
  set(MLIR_INCLUDE_DIRS ${MLIR_MAIN_SRC_DIR}/include ${LLVM_BINARY_DIR}/tools/mlir/include)
  list(APPEND CMAKE_MODULE_PATH "${MLIR_MAIN_SRC_DIR}/cmake/modules")
  include(AddMLIR)
endif()

# One target for the compiler part: all dialects, analyses, conversions and
# pipelines, and nothing that runs a model (no JIT, no npz, no threads). Tools
# and host compilers link XSA::Compiler instead of a list that goes stale.
# Included once all of lib/ is known.

get_property(XSA_LIBRARIES GLOBAL PROPERTY MLIR_EXPORTS)
list(FILTER XSA_LIBRARIES INCLUDE REGEX "^XSA")
list(REMOVE_DUPLICATES XSA_LIBRARIES)

set(XSA_COMPILER_LIBRARIES ${XSA_LIBRARIES})
list(FILTER XSA_COMPILER_LIBRARIES EXCLUDE REGEX "^XSA(Emulator|ExecutionEngine|ParallelRuntime|Npz)")

add_library(XSACompiler INTERFACE)
target_link_libraries(XSACompiler INTERFACE ${XSA_COMPILER_LIBRARIES})
set_target_properties(XSACompiler PROPERTIES EXPORT_NAME Compiler)

# In the build tree the names are those of the installed package.
add_library(XSA::Compiler ALIAS XSACompiler)
foreach(library ${XSA_LIBRARIES})
  add_library(XSA::${library} ALIAS ${library})
  target_include_directories(${library} INTERFACE
    $<BUILD_INTERFACE:${XSA_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${XSA_BINARY_DIR}/include>
    $<INSTALL_INTERFACE:include>
    )
endforeach()

# Instruments the project's own code only: LLVM and MLIR stay as packaged. The
# assertions in LLVM's headers (casts, indices, iterators) are switched on too,
# since they see what a sanitizer cannot.

if(XSA_SANITIZE)
  string(REPLACE ";" "," _sanitizers "${XSA_SANITIZE}")
  # vptr needs instrumented vtables in MLIR's libraries, which are not ours.
  add_compile_options(-fsanitize=${_sanitizers} -fno-omit-frame-pointer
    -fno-sanitize-recover=all -fno-sanitize=vptr)
  add_link_options(-fsanitize=${_sanitizers})
  if(NOT LLVM_ENABLE_ASSERTIONS)
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-include>
      $<$<COMPILE_LANGUAGE:CXX>:${CMAKE_CURRENT_LIST_DIR}/XSAAssertions.h>)
  endif()
elseif(NOT LLVM_ENABLE_ASSERTIONS)
  # LLVM's classes have another layout in code with assertions (Statistic), so
  # ours cannot have them where LLVM was built without, not even in a debug build.
  add_compile_definitions($<$<CONFIG:Debug>:NDEBUG>)
endif()

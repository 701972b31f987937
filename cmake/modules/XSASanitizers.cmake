# Instruments the project's own code only: LLVM and MLIR stay as packaged.

if(XSA_SANITIZE)
  string(REPLACE ";" "," _sanitizers "${XSA_SANITIZE}")
  # vptr needs instrumented vtables in MLIR's libraries, which are not ours.
  set(_flags -fsanitize=${_sanitizers} -fno-omit-frame-pointer -fno-sanitize-recover=all -fno-sanitize=vptr)
  add_compile_options(${_flags})
  add_link_options(-fsanitize=${_sanitizers})
endif()

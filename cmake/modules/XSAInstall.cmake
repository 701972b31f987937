# `find_package(XSA)` for outside projects: headers, libraries and exported
# targets. XSA::Compiler is the one to link; see examples/consumer. Inside an LLVM
# tree the libraries are installed with MLIR's instead.

include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

install(DIRECTORY ${XSA_SOURCE_DIR}/include/xsa ${XSA_BINARY_DIR}/include/xsa
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h" PATTERN "*.td" PATTERN "*.h.inc"
  PATTERN "CMakeFiles" EXCLUDE
  )

install(TARGETS XSACompiler ${XSA_COMPILER_LIBRARIES}
  EXPORT XSATargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  )
# The part that runs models has requirements of its own, so it is a component.
set(XSA_EXECUTION_LIBRARIES ${XSA_LIBRARIES})
list(REMOVE_ITEM XSA_EXECUTION_LIBRARIES ${XSA_COMPILER_LIBRARIES})
if(XSA_EXECUTION_LIBRARIES)
  install(TARGETS ${XSA_EXECUTION_LIBRARIES}
    EXPORT XSAExecutionTargets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    )
endif()
foreach(tool xsa-emulate xsa-opt xsa-replay xsa-run xsa-lsp-server)
  if(TARGET ${tool})
    install(TARGETS ${tool} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  endif()
endforeach()
if(TARGET xsa-plugin)
  install(TARGETS xsa-plugin LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()

set(XSA_INSTALL_CMAKEDIR ${CMAKE_INSTALL_LIBDIR}/cmake/xsa)
install(EXPORT XSATargets NAMESPACE XSA:: DESTINATION ${XSA_INSTALL_CMAKEDIR})
if(XSA_EXECUTION_LIBRARIES)
  install(EXPORT XSAExecutionTargets NAMESPACE XSA:: DESTINATION ${XSA_INSTALL_CMAKEDIR})
endif()
configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/XSAConfig.cmake.in
  ${XSA_BINARY_DIR}/cmake/XSAConfig.cmake
  INSTALL_DESTINATION ${XSA_INSTALL_CMAKEDIR}
  NO_SET_AND_CHECK_MACRO
  )
# Before version 1.0 a minor version may change any interface.
write_basic_package_version_file(${XSA_BINARY_DIR}/cmake/XSAConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${XSA_BINARY_DIR}/cmake/XSAConfig.cmake
  ${XSA_BINARY_DIR}/cmake/XSAConfigVersion.cmake
  DESTINATION ${XSA_INSTALL_CMAKEDIR}
  )

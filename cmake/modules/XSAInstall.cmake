# `find_package(XSA)` for outside projects: headers, libraries and exported targets.

include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

//===- StringCaster.h - Strings between C++ and Python ----------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names in a module, and paths, can be any bytes. Those that are not UTF-8 are
// surrogates in Python, as in its own functions for files, and bytes again on
// the way back. nanobind's own caster raises on them.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_PYTHON_SRC_STRINGCASTER_H
#define XSA_PYTHON_SRC_STRINGCASTER_H

#include <nanobind/nanobind.h>

#include <string>

namespace nanobind::detail {

template <> struct type_caster<std::string> {
  NB_TYPE_CASTER(std::string, const_name("str"))

  bool from_python(handle source, uint8_t, cleanup_list *) noexcept {
    if (!PyUnicode_Check(source.ptr()))
      return false;
    object bytes = steal(
        PyUnicode_AsEncodedString(source.ptr(), "utf-8", "surrogateescape"));
    if (!bytes.is_valid()) {
      PyErr_Clear();
      return false;
    }
    value.assign(PyBytes_AS_STRING(bytes.ptr()), PyBytes_GET_SIZE(bytes.ptr()));
    return true;
  }

  static handle from_cpp(const std::string &value, rv_policy,
                         cleanup_list *) noexcept {
    return PyUnicode_DecodeUTF8(value.data(), value.size(), "surrogateescape");
  }
};

} // namespace nanobind::detail

#endif // XSA_PYTHON_SRC_STRINGCASTER_H

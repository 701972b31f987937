//===- OptionalNumber.h - Numeric options that may be left out --*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lets `std::optional<double>` be the type of a pass option, so that "not
// given" needs no number that stands for it. Printed pipelines write `None`,
// as LLVM's streams do, which is read back as not given.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_SUPPORT_OPTIONALNUMBER_H
#define XSA_SUPPORT_OPTIONALNUMBER_H

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>

namespace llvm {
namespace cl {

template <>
class parser<std::optional<double>>
    : public basic_parser<std::optional<double>> {
public:
  parser(Option &option) : basic_parser(option) {}

  /// Returns true on error.
  bool parse(Option &option, StringRef, StringRef text,
             std::optional<double> &value) {
    value = std::nullopt;
    if (text == "None")
      return false;
    double number;
    if (text.getAsDouble(number))
      return option.error("expected a number, got '" + text + "'");
    value = number;
    return false;
  }

  StringRef getValueName() const override { return "number"; }

  void printOptionDiff(const Option &option, std::optional<double> value,
                       const OptVal &, size_t width) const {
    printOptionName(option, width);
    outs() << "= " << value << "\n";
  }
};

} // namespace cl
} // namespace llvm

#endif // XSA_SUPPORT_OPTIONALNUMBER_H

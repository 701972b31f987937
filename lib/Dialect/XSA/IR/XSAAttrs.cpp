//===- XSAAttrs.cpp - Attributes of the XSA dialect -----------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The exclusion attribute is written by hand so that defaults stay out of the
// printed form and every combination that has no meaning is refused.
//
//===----------------------------------------------------------------------===//

#include "xsa/Dialect/XSA/IR/XSA.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace xsa;

#include "xsa/Dialect/XSA/IR/XSAEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "xsa/Dialect/XSA/IR/XSAAttrs.cpp.inc"

void XSADialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "xsa/Dialect/XSA/IR/XSAAttrs.cpp.inc"
      >();
}

Attribute ExclusionAttr::parse(AsmParser &parser, Type) {
  StringRef keyword;
  SMLoc keywordLoc;
  if (parser.parseLess() || parser.getCurrentLocation(&keywordLoc) ||
      parser.parseKeyword(&keyword))
    return {};
  std::optional<Denominator> denominator = symbolizeDenominator(keyword);
  if (!denominator) {
    parser.emitError(keywordLoc, "expected denominator l2_clamp, sq_clamp, "
                                 "sq_add or raw, got '")
        << keyword << "'";
    return {};
  }

  double eps = 0.0, strength = 1.0;
  bool seenEps = false, seenStrength = false;
  while (succeeded(parser.parseOptionalComma())) {
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&keyword))
      return {};
    bool isEps = keyword == "eps";
    if (!isEps && keyword != "strength") {
      parser.emitError(loc, "expected 'eps' or 'strength', got '")
          << keyword << "'";
      return {};
    }
    bool &seen = isEps ? seenEps : seenStrength;
    if (seen) {
      parser.emitError(loc, "'") << keyword << "' is given twice";
      return {};
    }
    seen = true;
    if (parser.parseEqual() || parser.parseFloat(isEps ? eps : strength))
      return {};
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<ExclusionAttr>(keywordLoc, parser.getContext(),
                                          *denominator, APFloat(eps),
                                          APFloat(strength));
}

void ExclusionAttr::print(AsmPrinter &printer) const {
  printer << "<" << stringifyDenominator(getDenominator());
  // printFloat prints every double so that it parses back to the same bits.
  auto print = [&](StringRef name, const APFloat &number) {
    printer << ", " << name << " = ";
    printer.printFloat(number);
  };
  if (getEps() != 0.0)
    print("eps", getEpsValue());
  if (getStrength() != 1.0)
    print("strength", getStrengthValue());
  printer << ">";
}

LogicalResult
ExclusionAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                      Denominator denominator, APFloat eps, APFloat strength) {
  if (!eps.isFinite() || (eps.isNegative() && !eps.isZero()))
    return emitError() << "expected 'eps' to be finite and not negative, got "
                       << eps.convertToDouble();
  if (denominator == Denominator::Raw && !eps.isZero())
    return emitError() << "denominator raw takes no 'eps', got "
                       << eps.convertToDouble();
  if (!strength.isFinite())
    return emitError() << "expected 'strength' to be finite, got "
                       << strength.convertToDouble();
  return success();
}

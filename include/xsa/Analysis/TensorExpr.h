//===- TensorExpr.h - Scalars as functions of indices -----------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor is read here as a scalar expression over iteration variables. In
// this form a transpose, a reshape or a broadcast is arithmetic on indices and
// disappears, so two spellings of one computation become one expression.
// Expressions are hash-consed: equal ones are the same pointer.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_ANALYSIS_TENSOREXPR_H
#define XSA_ANALYSIS_TENSOREXPR_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/FoldingSet.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>

namespace xsa {

enum class ExprKind : uint8_t {
  Constant, ///< a float or a bool
  Var,      ///< an iteration variable, 0 <= var < extent
  Symbol,   ///< a size known at run time only, at least 1
  Poly,     ///< an integer polynomial over atoms (all other integer kinds)
  Unknown,  ///< an integer that does not fit 64 bits, or may have wrapped
  Access,   ///< the scalar that a value holds at indices
  Apply,    ///< an elementwise operation
  Reduce    ///< an associative reduction over bound variables
};

enum class ExprOp : uint8_t {
  None,
  // Integers. Sums and products are polynomials.
  FloorDiv,
  Mod,
  IntMin,
  IntMax,
  FloatToInt,
  // Bools. Integer comparisons are `NonNegative` or `IsZero` of a polynomial.
  NonNegative,
  IsZero,
  CmpF,
  And,
  Or,
  Not,
  Select,
  // Floats.
  Add,
  Sub,
  Mul,
  Div,
  Neg,
  Max,
  Min,
  Exp,
  Exp2,
  Log,
  Tanh,
  Sqrt,
  Rsqrt,
  Abs,
  Floor,
  Pow,
  Cast,
  IntToFloat,
  /// Any other elementwise operation, named by `getOtherName`.
  Other
};

llvm::StringRef stringifyExprOp(ExprOp op);

class Expr;
using ExprRef = const Expr *;

/// `coeff` times the product of `atoms`, which are sorted by id.
struct PolyTerm {
  int64_t coeff;
  llvm::ArrayRef<ExprRef> atoms;
};

/// One node. Immutable, owned by its ExprContext.
class Expr : public llvm::FoldingSetNode {
public:
  ExprKind getKind() const { return kind; }
  ExprOp getOp() const { return op; }
  /// Floats have their type, bools i1, all integers are of type index.
  mlir::Type getType() const { return type; }
  /// Order of creation: a node's operands have smaller ids than the node.
  unsigned getId() const { return id; }

  /// Whether there is nothing unknown in it.
  bool isKnown() const { return known; }
  bool is(ExprKind k) const { return kind == k; }
  bool isApply(ExprOp o) const { return kind == ExprKind::Apply && op == o; }
  bool isReduce(ExprOp o) const { return kind == ExprKind::Reduce && op == o; }
  bool isInt() const { return type.isIndex(); }
  bool isBool() const { return type.isInteger(1); }
  bool isFloat() const { return llvm::isa<mlir::FloatType>(type); }

  /// Constant: its value (bools as 0 and 1).
  double getNumber() const { return number; }
  bool isConstant() const { return kind == ExprKind::Constant; }
  bool isConstant(double x) const { return isConstant() && number == x; }
  /// Access and Symbol: the value that is read, or whose size this is.
  mlir::Value getValue() const { return value; }
  /// Symbol: which dimension of the value it is the size of.
  unsigned getDimension() const { return index; }
  /// CmpF: the predicate, an arith::CmpFPredicate.
  unsigned getPredicate() const { return index; }
  /// Other: operation name and attributes.
  llvm::StringRef getOtherName() const;
  mlir::Attribute getAttribute() const { return attribute; }
  /// Var: number of values it takes.
  ExprRef getExtent() const { return operands[0]; }

  /// Access: indices. Apply: operands. Reduce: the body.
  llvm::ArrayRef<ExprRef> getOperands() const { return operands; }
  ExprRef getOperand(unsigned i) const { return operands[i]; }
  /// Reduce: the bound variables.
  llvm::ArrayRef<ExprRef> getBoundVars() const { return vars; }
  ExprRef getBody() const { return operands[0]; }
  llvm::ArrayRef<PolyTerm> getTerms() const { return terms; }

  /// Variables that the value depends on, sorted by id.
  llvm::ArrayRef<ExprRef> getFreeVars() const { return freeVars; }
  bool dependsOn(ExprRef var) const;
  bool dependsOnAny(llvm::ArrayRef<ExprRef> others) const;

  /// The outermost accesses in it that are not in parts `seen` before.
  void collectAccesses(llvm::SmallPtrSetImpl<ExprRef> &seen,
                       llvm::SmallVectorImpl<ExprRef> &accesses) const;

  void Profile(llvm::FoldingSetNodeID &profile) const;
  /// The hash of the profile.
  unsigned getHash() const { return hash; }
  void print(llvm::raw_ostream &os, unsigned depth = 6) const;
  void dump() const;

private:
  friend class ExprContext;
  Expr() : self(this) {}

  /// So that an atom can be seen as a product of one factor.
  ExprRef self;

  ExprKind kind = ExprKind::Constant;
  ExprOp op = ExprOp::None;
  bool known = true;
  mlir::Type type;
  unsigned id = 0;
  unsigned hash = 0;
  unsigned index = 0;
  double number = 0;
  mlir::Value value;
  mlir::Attribute attribute;
  llvm::ArrayRef<ExprRef> operands;
  llvm::ArrayRef<ExprRef> vars;
  llvm::ArrayRef<PolyTerm> terms;
  llvm::ArrayRef<ExprRef> freeVars;
};

inline llvm::raw_ostream &operator<<(llvm::raw_ostream &os, const Expr &e) {
  e.print(os);
  return os;
}

} // namespace xsa

/// Nodes remember their hash: a table that grows, or looks for a node, need not
/// profile the others again.
template <>
struct llvm::FoldingSetTrait<xsa::Expr>
    : llvm::DefaultFoldingSetTrait<xsa::Expr> {
  static unsigned ComputeHash(const xsa::Expr &e, FoldingSetNodeID &) {
    return e.getHash();
  }
  static bool Equals(const xsa::Expr &e, const FoldingSetNodeID &profile,
                     unsigned hash, FoldingSetNodeID &scratch) {
    if (e.getHash() != hash)
      return false;
    e.Profile(scratch);
    return scratch == profile;
  }
};

namespace xsa {

/// Creates and simplifies expressions. Simplification is exact up to NaN and
/// the sign of zero; nothing here reassociates floats.
class ExprContext {
public:
  explicit ExprContext(mlir::MLIRContext *context);
  ~ExprContext();

  mlir::MLIRContext *getContext() const { return context; }

  //===--------------------------------------------------------------------===//
  // Leaves
  //===--------------------------------------------------------------------===//

  ExprRef constant(mlir::Type type, double number);
  ExprRef boolean(bool b);
  ExprRef integer(int64_t i);
  /// A fresh variable of `extent`; the literal 0 if it can only be that.
  ExprRef variable(ExprRef extent);
  ExprRef variable(int64_t extent) { return variable(integer(extent)); }
  ExprRef symbol(mlir::Value value, unsigned dim);
  /// Equal to nothing but itself.
  ExprRef unknown();
  ExprRef access(mlir::Value value, llvm::ArrayRef<ExprRef> indices);

  //===--------------------------------------------------------------------===//
  // Integers
  //===--------------------------------------------------------------------===//

  ExprRef add(ExprRef a, ExprRef b);
  ExprRef sub(ExprRef a, ExprRef b);
  ExprRef mul(ExprRef a, ExprRef b);
  /// For a positive divisor. Where the quotient depends on how a variable
  /// splits into digits, the split is recorded (see `refine`).
  ExprRef floorDiv(ExprRef a, ExprRef b);
  ExprRef mod(ExprRef a, ExprRef b);
  /// `a / b` where it is exact for every value of the atoms.
  std::optional<ExprRef> exactDiv(ExprRef a, ExprRef b);
  /// `sum(indices[i] * product of later extents)`.
  ExprRef linearize(llvm::ArrayRef<ExprRef> indices,
                    llvm::ArrayRef<ExprRef> extents);
  llvm::SmallVector<ExprRef> delinearize(ExprRef linear,
                                         llvm::ArrayRef<ExprRef> extents);

  static std::optional<int64_t> getInteger(ExprRef e);
  bool isProvablyNonNegative(ExprRef e);
  bool isProvablyLess(ExprRef a, ExprRef b) {
    return isProvablyNonNegative(sub(sub(b, a), integer(1)));
  }
  /// `offset + stride * (digits as a mixed-radix number)`, the most significant
  /// digit first. No digits: `offset` alone.
  struct Digits {
    ExprRef offset;
    ExprRef stride;
    llvm::SmallVector<ExprRef> vars;
    /// Product of the extents.
    ExprRef size;
  };
  /// Reads an index that is affine in variables as digits, if it is such.
  std::optional<Digits> getDigits(ExprRef index);

  /// Terms of an integer expression, an atom being one term.
  static llvm::SmallVector<PolyTerm> getTerms(ExprRef const &e);

  //===--------------------------------------------------------------------===//
  // Everything else
  //===--------------------------------------------------------------------===//

  ExprRef apply(ExprOp op, mlir::Type type, llvm::ArrayRef<ExprRef> operands);
  ExprRef cmpF(unsigned predicate, ExprRef a, ExprRef b);
  ExprRef nonNegative(ExprRef e);
  ExprRef isZero(ExprRef e);
  ExprRef logicalNot(ExprRef e);
  ExprRef select(ExprRef condition, ExprRef a, ExprRef b);
  ExprRef other(mlir::Operation *op, mlir::Type type,
                llvm::ArrayRef<ExprRef> operands);
  /// `vars` lists the variables reduced over; those of extent 1 left out.
  ExprRef reduce(ExprOp op, llvm::ArrayRef<ExprRef> vars, ExprRef body);

  /// The node of the same operation on other operands, simplified again.
  ExprRef rebuild(ExprRef e, llvm::ArrayRef<ExprRef> operands);

  using Substitution = llvm::DenseMap<ExprRef, ExprRef>;
  ExprRef substitute(ExprRef e, const Substitution &substitution);

  //===--------------------------------------------------------------------===//
  // Splits of variables
  //===--------------------------------------------------------------------===//

  /// `e` with each split variable written as `hi * size + lo`.
  ExprRef refine(ExprRef e);
  /// Counts splits: whoever sees it change should look at the value again with
  /// refined indices.
  unsigned getNumSplits() const { return numSplits; }

private:
  struct Key;
  class PolyBuilder;
  ExprRef create(const Key &key);
  ExprRef createPoly(const PolyBuilder &poly);
  ExprRef simplify(ExprOp op, mlir::Type type,
                   llvm::ArrayRef<ExprRef> operands);
  ExprRef foldConstants(ExprOp op, mlir::Type type,
                        llvm::ArrayRef<ExprRef> operands);
  ExprRef pushIntoSelect(ExprOp op, mlir::Type type, unsigned predicate,
                         llvm::ArrayRef<ExprRef> operands);
  ExprRef compareConverted(unsigned predicate, ExprRef a, ExprRef b);
  ExprRef decideBySelect(ExprOp op, ExprRef poly);
  bool split(ExprRef var, ExprRef size);
  ExprRef substitute(ExprRef e, const Substitution &substitution,
                     Substitution &memo);

  mlir::MLIRContext *context;
  llvm::BumpPtrAllocator allocator;
  llvm::FoldingSet<Expr> nodes;
  unsigned nextId = 0;
  unsigned nextVar = 0;
  unsigned nextUnknown = 0;
  Substitution splits;
  unsigned numSplits = 0;
};

/// `number` rounded to what a value of `type` can hold.
double roundToType(double number, mlir::Type type);

} // namespace xsa

#endif // XSA_ANALYSIS_TENSOREXPR_H

//===- TensorExpr.cpp - Scalars as functions of indices -------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nodes, hash-consing, substitution. What is simplified when a node is made is
// in ExprSimplification.cpp, arithmetic on indices in IndexArithmetic.cpp.
//
//===----------------------------------------------------------------------===//

#include "TensorExprDetail.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace xsa;

//===----------------------------------------------------------------------===//
// Expr
//===----------------------------------------------------------------------===//

StringRef xsa::stringifyExprOp(ExprOp op) {
  static constexpr const char *names[] = {
      "none", "floordiv", "mod",     "imin", "imax",  "fptoint", "nonneg",
      "zero", "cmpf",     "and",     "or",   "not",   "select",  "add",
      "sub",  "mul",      "div",     "neg",  "max",   "min",     "exp",
      "exp2", "log",      "tanh",    "sqrt", "rsqrt", "abs",     "floor",
      "pow",  "cast",     "tofloat", "other"};
  return names[static_cast<unsigned>(op)];
}

StringRef Expr::getOtherName() const {
  return cast<StringAttr>(cast<ArrayAttr>(attribute)[0]).getValue();
}

bool Expr::dependsOn(ExprRef var) const {
  return llvm::is_contained(freeVars, var);
}

bool Expr::dependsOnAny(ArrayRef<ExprRef> others) const {
  return llvm::any_of(others, [&](ExprRef var) { return dependsOn(var); });
}

void Expr::collectAccesses(llvm::SmallPtrSetImpl<ExprRef> &seen,
                           SmallVectorImpl<ExprRef> &accesses) const {
  if (!seen.insert(this).second)
    return;
  if (kind == ExprKind::Access) {
    accesses.push_back(this);
    return;
  }
  for (ExprRef operand : operands)
    operand->collectAccesses(seen, accesses);
  for (const PolyTerm &term : terms)
    for (ExprRef atom : term.atoms)
      atom->collectAccesses(seen, accesses);
}

void Expr::Profile(llvm::FoldingSetNodeID &profile) const {
  profile.AddInteger(static_cast<unsigned>(kind));
  profile.AddInteger(static_cast<unsigned>(op));
  profile.AddInteger(index);
  profile.AddInteger(llvm::bit_cast<uint64_t>(number));
  profile.AddPointer(type.getAsOpaquePointer());
  profile.AddPointer(value.getAsOpaquePointer());
  profile.AddPointer(attribute.getAsOpaquePointer());
  for (ExprRef operand : operands)
    profile.AddPointer(operand);
  profile.AddInteger(vars.size());
  for (ExprRef var : vars)
    profile.AddPointer(var);
  for (const PolyTerm &term : terms) {
    profile.AddInteger(term.coeff);
    profile.AddInteger(term.atoms.size());
    for (ExprRef atom : term.atoms)
      profile.AddPointer(atom);
  }
}

static void printList(llvm::raw_ostream &os, ArrayRef<ExprRef> list,
                      unsigned depth) {
  llvm::interleaveComma(list, os, [&](ExprRef e) { e->print(os, depth); });
}

static void printPoly(llvm::raw_ostream &os, const Expr &e, unsigned depth) {
  if (e.getTerms().empty())
    os << "0";
  llvm::interleave(
      e.getTerms(), os,
      [&](const PolyTerm &term) {
        if (term.coeff != 1 || term.atoms.empty())
          os << term.coeff;
        if (term.coeff != 1 && !term.atoms.empty())
          os << "*";
        llvm::interleave(
            term.atoms, os, [&](ExprRef atom) { atom->print(os, depth); }, "*");
      },
      " + ");
}

static void printValueName(llvm::raw_ostream &os, Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    os << "arg" << argument.getArgNumber();
    return;
  }
  os << value.getDefiningOp()->getName();
  if (value.getDefiningOp()->getNumResults() > 1)
    os << "#" << cast<OpResult>(value).getResultNumber();
}

void Expr::print(llvm::raw_ostream &os, unsigned depth) const {
  if (depth == 0) {
    os << "...";
    return;
  }
  switch (kind) {
  case ExprKind::Constant:
    os << (isBool() ? (number ? "true" : "false") : "");
    if (!isBool())
      os << number;
    return;
  case ExprKind::Var:
    os << "i" << index;
    return;
  case ExprKind::Symbol:
    os << "dim(";
    printValueName(os, value);
    os << ", " << index << ")";
    return;
  case ExprKind::Unknown:
    os << "unknown";
    return;
  case ExprKind::Poly:
    printPoly(os, *this, depth - 1);
    return;
  case ExprKind::Access:
    printValueName(os, value);
    os << "[";
    printList(os, operands, depth - 1);
    os << "]";
    return;
  case ExprKind::Apply:
    os << (op == ExprOp::Other ? getOtherName() : stringifyExprOp(op));
    if (op == ExprOp::CmpF)
      os << "."
         << arith::stringifyCmpFPredicate(
                static_cast<arith::CmpFPredicate>(index));
    break;
  case ExprKind::Reduce:
    os << "reduce." << stringifyExprOp(op) << "<";
    llvm::interleaveComma(vars, os, [&](ExprRef var) {
      var->print(os);
      os << " < ";
      var->getExtent()->print(os);
    });
    os << ">";
    break;
  }
  os << "(";
  printList(os, operands, depth - 1);
  os << ")";
}

LLVM_DUMP_METHOD void Expr::dump() const {
  print(llvm::errs());
  llvm::errs() << "\n";
}

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

ExprContext::ExprContext(MLIRContext *context) : context(context) {}
ExprContext::~ExprContext() = default;

template <typename T>
static ArrayRef<T> copyTo(llvm::BumpPtrAllocator &allocator, ArrayRef<T> list) {
  if (list.empty())
    return {};
  T *data = allocator.Allocate<T>(list.size());
  std::uninitialized_copy(list.begin(), list.end(), data);
  return {data, list.size()};
}

ExprRef ExprContext::create(const Key &key) {
  Expr probe;
  probe.kind = key.kind;
  probe.op = key.op;
  probe.type = key.type;
  probe.index = key.index;
  probe.number = key.number;
  probe.value = key.value;
  probe.attribute = key.attribute;
  probe.operands = key.operands;
  probe.vars = key.vars;
  probe.terms = key.terms;
  llvm::FoldingSetNodeID profile;
  probe.Profile(profile);
  void *position;
  if (Expr *known = nodes.FindNodeOrInsertPos(profile, position))
    return known;

  Expr *node = new (allocator.Allocate<Expr>()) Expr(probe);
  node->self = node;
  node->id = nextId++;
  node->hash = profile.ComputeHash();
  node->operands = copyTo(allocator, key.operands);
  node->vars = copyTo(allocator, key.vars);
  SmallVector<PolyTerm> terms;
  for (const PolyTerm &term : key.terms)
    terms.push_back({term.coeff, copyTo(allocator, term.atoms)});
  node->terms = copyTo<PolyTerm>(allocator, terms);

  SmallVector<ExprRef> free;
  node->known = key.kind != ExprKind::Unknown;
  auto collect = [&](ExprRef e) {
    llvm::append_range(free, e->freeVars);
    node->known &= e->known;
  };
  if (key.kind == ExprKind::Var)
    free.push_back(node);
  llvm::for_each(node->operands, collect);
  for (const PolyTerm &term : node->terms)
    llvm::for_each(term.atoms, collect);
  llvm::erase_if(
      free, [&](ExprRef var) { return llvm::is_contained(key.vars, var); });
  llvm::sort(free, [](ExprRef a, ExprRef b) { return a->id < b->id; });
  free.erase(llvm::unique(free), free.end());
  node->freeVars = copyTo<ExprRef>(allocator, free);
  nodes.InsertNode(node, position);
  return node;
}

double xsa::roundToType(double number, Type type) {
  auto floatType = dyn_cast<FloatType>(type);
  if (!floatType || floatType.isF64())
    return number;
  llvm::APFloat x(number);
  bool losesInfo;
  x.convert(floatType.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven,
            &losesInfo);
  return x.convertToDouble();
}

ExprRef ExprContext::constant(Type type, double number) {
  Key key(ExprKind::Constant, type);
  key.number = type.isInteger(1) ? number != 0 : roundToType(number, type);
  return create(key);
}

ExprRef ExprContext::boolean(bool b) {
  return constant(IntegerType::get(context, 1), b);
}

ExprRef ExprContext::variable(ExprRef extent) {
  if (getInteger(extent) == 1)
    return integer(0);
  Key key(ExprKind::Var, IndexType::get(context));
  key.index = nextVar++;
  key.operands = extent;
  return create(key);
}

ExprRef ExprContext::symbol(Value value, unsigned dim) {
  Key key(ExprKind::Symbol, IndexType::get(context));
  key.value = value;
  key.index = dim;
  return create(key);
}

ExprRef ExprContext::unknown() {
  Key key(ExprKind::Unknown, IndexType::get(context));
  key.index = nextUnknown++;
  return create(key);
}

Type xsa::detail::normalizeType(Type type) {
  type = getElementTypeOrSelf(type);
  if (auto intType = dyn_cast<IntegerType>(type))
    if (intType.getWidth() > 1)
      return IndexType::get(type.getContext());
  return type;
}

ExprRef ExprContext::access(Value value, ArrayRef<ExprRef> indices) {
  Key key(ExprKind::Access, xsa::detail::normalizeType(value.getType()));
  key.value = value;
  key.operands = indices;
  return create(key);
}

ExprRef ExprContext::other(Operation *op, Type type,
                           ArrayRef<ExprRef> operands) {
  Builder builder(context);
  Key key(ExprKind::Apply, xsa::detail::normalizeType(type));
  key.op = ExprOp::Other;
  // Its own types: all integers are `index` in expressions.
  SmallVector<Attribute> parts = {
      builder.getStringAttr(op->getName().getStringRef()),
      op->getAttrDictionary(), TypeAttr::get(getElementTypeOrSelf(type))};
  for (Type operand : op->getOperandTypes())
    parts.push_back(TypeAttr::get(getElementTypeOrSelf(operand)));
  key.attribute = builder.getArrayAttr(parts);
  key.operands = operands;
  return create(key);
}

ExprRef ExprContext::reduce(ExprOp op, ArrayRef<ExprRef> vars, ExprRef body) {
  Key key(ExprKind::Reduce, body->type);
  key.op = op;
  SmallVector<ExprRef> bound;
  for (ExprRef var : vars)
    if (var->is(ExprKind::Var))
      bound.push_back(var);
  key.vars = bound;
  key.operands = body;
  return create(key);
}

//===----------------------------------------------------------------------===//
// Rebuilding
//===----------------------------------------------------------------------===//

ExprRef ExprContext::rebuild(ExprRef e, ArrayRef<ExprRef> operands) {
  switch (e->getKind()) {
  case ExprKind::Access:
    return access(e->getValue(), operands);
  case ExprKind::Reduce:
    return reduce(e->getOp(), e->getBoundVars(), operands[0]);
  case ExprKind::Apply:
    break;
  default:
    return e;
  }
  if (e->getOp() == ExprOp::CmpF)
    return cmpF(e->getPredicate(), operands[0], operands[1]);
  if (e->getOp() != ExprOp::Other)
    return apply(e->getOp(), e->getType(), operands);
  Key key(ExprKind::Apply, e->getType());
  key.op = ExprOp::Other;
  key.attribute = e->getAttribute();
  key.operands = operands;
  return create(key);
}

ExprRef ExprContext::substitute(ExprRef e, const Substitution &substitution) {
  Substitution memo;
  return substitute(e, substitution, memo);
}

ExprRef ExprContext::substitute(ExprRef e, const Substitution &substitution,
                                Substitution &memo) {
  if (llvm::none_of(e->getFreeVars(),
                    [&](ExprRef var) { return substitution.contains(var); }))
    return e;
  if (e->is(ExprKind::Var))
    return substitution.lookup(e);
  if (ExprRef known = memo.lookup(e))
    return known;

  ExprRef result;
  if (e->is(ExprKind::Poly)) {
    result = integer(0);
    for (const PolyTerm &term : e->getTerms()) {
      ExprRef product = integer(term.coeff);
      for (ExprRef atom : term.atoms)
        product = mul(product, substitute(atom, substitution, memo));
      result = add(result, product);
    }
  } else {
    SmallVector<ExprRef> operands;
    for (ExprRef operand : e->getOperands())
      operands.push_back(substitute(operand, substitution, memo));
    result = rebuild(e, operands);
  }
  memo[e] = result;
  return result;
}

ExprRef ExprContext::refine(ExprRef e) {
  while (!splits.empty() && llvm::any_of(e->getFreeVars(), [&](ExprRef var) {
    return splits.contains(var);
  }))
    e = substitute(e, splits);
  return e;
}

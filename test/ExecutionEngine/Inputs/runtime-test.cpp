//===- runtime-test.cpp - Tests of the runtime and of CompiledModule ------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What only a host sees: its own parallel-for being used, the bounds of pieces,
// loops inside loops, calls from several threads, results that outlive the
// compiled module.
//
//===----------------------------------------------------------------------===//

#include "xsa/ExecutionEngine/CompiledModule.h"
#include "xsa/InitAllDialects.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"

#include <atomic>
#include <pthread.h>
#include <thread>

using namespace xsa;
using namespace xsa::runtime;

static int numFailures = 0;

static void expect(bool condition, llvm::StringRef what) {
  if (condition)
    return;
  llvm::errs() << "failed: " << what << "\n";
  ++numFailures;
}

//===----------------------------------------------------------------------===//
// ThreadPool
//===----------------------------------------------------------------------===//

namespace {
struct Visits {
  std::vector<std::atomic<int>> counts;
  std::atomic<int64_t> smallest{INT64_MAX};
  explicit Visits(size_t size) : counts(size) {}
};
} // namespace

static void visit(int64_t begin, int64_t end, void *context) {
  auto *visits = static_cast<Visits *>(context);
  for (int64_t i = begin; i < end; ++i)
    ++visits->counts[i];
  int64_t seen = visits->smallest;
  while (end - begin < seen &&
         !visits->smallest.compare_exchange_weak(seen, end - begin))
    ;
}

static void testThreadPool() {
  for (unsigned threads : {1u, 2u, 5u}) {
    ThreadPool pool(threads);
    expect(pool.getNumThreads() == threads, "number of threads");
    for (int64_t count : {0, 1, 7, 1000, 100000})
      for (int64_t grain : {0, 1, 64}) {
        Visits visits(count);
        pool.run(count, grain, visit, &visits);
        expect(llvm::all_of(visits.counts,
                            [](auto &visited) { return visited == 1; }),
               "each iteration runs once");
        // The last piece may be shorter.
        if (count % 64 == 0 && count > 0)
          expect(visits.smallest >= std::min(count, grain), "grain");
      }
  }
  expect(ThreadPool(0).getNumThreads() == getNumAvailableCores(),
         "all cores by default");
}

/// The system refuses threads with stacks of this size.
static void testFewerThreads() {
#ifdef __GLIBC__
  pthread_attr_t usual, huge;
  pthread_getattr_default_np(&usual);
  pthread_attr_init(&huge);
  pthread_attr_setstacksize(&huge, size_t(1) << 50);
  ThreadPool pool(4);
  pthread_setattr_default_np(&huge);
  Visits visits(1000);
  pool.run(1000, 1, visit, &visits);
  pthread_setattr_default_np(&usual);
  expect(
      llvm::all_of(visits.counts, [](auto &visited) { return visited == 1; }),
      "each iteration runs once without further threads");
  expect(pool.getNumThreads() == 1, "threads that there are");
  pthread_attr_destroy(&usual);
  pthread_attr_destroy(&huge);
#endif
}

//===----------------------------------------------------------------------===//
// CompiledModule
//===----------------------------------------------------------------------===//

static constexpr llvm::StringLiteral kModel = R"mlir(
#id = affine_map<(i, j) -> (i, j)>
func.func @main(%x: tensor<?x512xf32>) -> tensor<?x512xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x512xf32>
  %limit = arith.constant 1.0e6 : f32
  %e = tensor.empty(%n) : tensor<?x512xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x512xf32>) outs(%e : tensor<?x512xf32>) {
  ^bb0(%a: f32, %o: f32):
    %ok = arith.cmpf olt, %a, %limit : f32
    cf.assert %ok, "too large"
    %t = math.exp2 %a : f32
    linalg.yield %t : f32
  } -> tensor<?x512xf32>
  return %0 : tensor<?x512xf32>
}
)mlir";

namespace {
/// A host's parallel-for that counts and runs on threads of its own.
struct Host {
  std::atomic<int> calls{0};

  static void run(void *host, int64_t count, int64_t grain, LoopBody body,
                  void *context) {
    ++static_cast<Host *>(host)->calls;
    std::vector<std::thread> threads;
    int64_t piece = (count + 3) / 4;
    for (int64_t begin = 0; begin < count; begin += piece)
      threads.emplace_back(
          [=] { body(begin, std::min(begin + piece, count), context); });
    for (std::thread &thread : threads)
      thread.join();
  }
};
} // namespace

static Array makeInput(int64_t rows, float value) {
  Array array = Array::allocate(DType::Float32, {rows, 512});
  std::fill_n(static_cast<float *>(array.data), rows * 512, value);
  return array;
}

static bool isFilledWith(const Array &array, float value) {
  auto *data = static_cast<const float *>(array.data);
  return std::all_of(data, data + getNumElements(array.shape),
                     [&](float element) { return element == value; });
}

static void testHost(mlir::ModuleOp module) {
  Host host;
  CompileOptions options;
  options.parallelFor = {Host::run, &host};
  auto compiled = llvm::cantFail(CompiledModule::compile(module, options));

  auto results = llvm::cantFail(compiled->call(makeInput(4096, 3).getView()));
  expect(host.calls == 1, "the host's parallel-for runs the loop");
  expect(isFilledWith(results.front(), 8), "results of the host's threads");

  int before = host.calls;
  results = llvm::cantFail(compiled->call(makeInput(1, 3).getView()));
  expect(host.calls == before, "a small loop stays on the calling thread");
  expect(isFilledWith(results.front(), 8), "results of a small loop");

  // A failure on the host's threads is an error of this call only.
  Array bad = makeInput(4096, 3);
  static_cast<float *>(bad.data)[1000000] = 1e9f;
  for (int i = 0; i < 3; ++i) {
    auto failed = compiled->call(bad.getView());
    expect(!failed, "a failed check is an error");
    std::string text =
        failed ? std::string() : llvm::toString(failed.takeError());
    expect(llvm::StringRef(text).starts_with("too large"), text);
    results = llvm::cantFail(compiled->call(makeInput(4096, 2).getView()));
    expect(isFilledWith(results.front(), 4), "the next call succeeds");
  }

  // Results stay when the compiled module goes.
  compiled.reset();
  expect(isFilledWith(results.front(), 4), "results outlive the module");
}

static void testConcurrentCalls(mlir::ModuleOp module) {
  CompileOptions options;
  options.numThreads = 3;
  auto compiled = llvm::cantFail(CompiledModule::compile(module, options));
  std::vector<std::thread> callers;
  std::atomic<int> wrong{0};
  for (int caller = 0; caller < 4; ++caller)
    callers.emplace_back([&, caller] {
      for (int i = 0; i < 10; ++i) {
        Array input = makeInput(2048, caller);
        auto results = compiled->call(input.getView());
        if (!results) {
          llvm::consumeError(results.takeError());
          ++wrong;
        } else if (!isFilledWith(results->front(), 1 << caller)) {
          ++wrong;
        }
      }
    });
  for (std::thread &caller : callers)
    caller.join();
  expect(wrong == 0, "concurrent calls");
}

static void testArguments(mlir::ModuleOp module) {
  auto compiled = llvm::cantFail(CompiledModule::compile(module));
  expect(compiled->getArgumentTypes().size() == 1 &&
             compiled->getResultTypes().size() == 1,
         "signature");
  expect(llvm::toString(compiled->checkArguments({})) ==
             "expected 1 arguments, got 0",
         "number of arguments");
  Array wrong = Array::allocate(DType::Int8, {3});
  expect(llvm::toString(compiled->call(wrong.getView()).takeError()) ==
             "argument 0 ('arg0'): expected tensor<?x512xf32>, got int8[3]",
         "type of an argument");
  auto empty = llvm::cantFail(compiled->call(makeInput(0, 0).getView()));
  expect(empty.front().shape[0] == 0, "no rows");
}

int main() {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  xsa::registerAllDialects(registry);
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(kModel, &context);

  testThreadPool();
  testFewerThreads();
  testHost(*module);
  testConcurrentCalls(*module);
  testArguments(*module);
  llvm::outs() << (numFailures ? "failures\n" : "all as expected\n");
  return numFailures != 0;
}

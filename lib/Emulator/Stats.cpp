//===- Stats.cpp - Counters as JSON ---------------------------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Stats.h.
//
//===----------------------------------------------------------------------===//

#include "xsa/Emulator/Stats.h"

#include "llvm/Support/JSON.h"

using namespace xsa::emulator;

void xsa::emulator::writeStats(llvm::json::OStream &json,
                               const KernelStats &stats) {
  auto writeSizes = [&](llvm::StringRef name, const Dim3 &sizes) {
    json.attributeArray(name, [&] {
      for (uint32_t size : {sizes.x, sizes.y, sizes.z})
        json.value(size);
    });
  };
  auto write = [&](llvm::StringRef name, uint64_t value) {
    json.attribute(name, int64_t(value));
  };
  json.object([&] {
    json.attribute("name", stats.name);
    writeSizes("grid", stats.shape.grid);
    writeSizes("block", stats.shape.block);
    write("dynamic_shared_bytes", stats.shape.dynamicSharedBytes);
    write("mma", stats.mma);
    write("global_load_bytes", stats.globalLoadBytes);
    write("global_store_bytes", stats.globalStoreBytes);
    write("global_load_sectors", stats.globalLoadSectors);
    write("global_store_sectors", stats.globalStoreSectors);
    write("shared_bank_conflicts", stats.sharedBankConflicts);
    write("barriers", stats.barriers);
  });
}

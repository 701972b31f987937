; REQUIRES: execution, numpy
; A kernel as a compiler other than this one writes it: an edge, and a block that
; is not whole.
;
; RUN: %python -c "import numpy as np; r = np.random.default_rng(0); np.savez('%t.npz', a=r.standard_normal(1000, dtype=np.float32), b=r.standard_normal(1000, dtype=np.float32))"
; RUN: xsa-emulate %s --grid 8 --block 128 --arg in:a --arg in:b --arg out:c:float32[1000] --arg i32:1000 --inputs %t.npz --outputs %t.out.npz --stats - | FileCheck %s
; RUN: %python -c "import numpy as np; x = np.load('%t.npz'); assert np.array_equal(np.load('%t.out.npz')['c'], x['a'] + x['b'])"

; CHECK:      "name": "vector_add"
; CHECK:      "mma": 0,
; CHECK-NEXT: "global_load_bytes": 8000,
; CHECK-NEXT: "global_store_bytes": 4000,
; CHECK-NEXT: "global_load_sectors": 250,
; CHECK-NEXT: "global_store_sectors": 125,
; CHECK-NEXT: "shared_bank_conflicts": 0,
; CHECK-NEXT: "barriers": 0

target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()

define ptx_kernel void @vector_add(ptr %a, ptr %b, ptr %c, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b.index = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %b.size = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %start = mul i32 %b.index, %b.size
  %i = add i32 %start, %t
  %in = icmp slt i32 %i, %n
  br i1 %in, label %body, label %end
body:
  %pa = getelementptr float, ptr %a, i32 %i
  %pb = getelementptr float, ptr %b, i32 %i
  %pc = getelementptr float, ptr %c, i32 %i
  %x = load float, ptr %pa, align 4
  %y = load float, ptr %pb, align 4
  %z = fadd float %x, %y
  store float %z, ptr %pc, align 4
  br label %end
end:
  ret void
}

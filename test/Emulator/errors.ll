; REQUIRES: execution, numpy
; One kernel per fault. Each error names the kernel, the block, the thread and the
; instruction.
;
; RUN: %python -c "import numpy as np; np.savez('%t.npz', x=np.arange(64, dtype=np.float32))"
; DEFINE: %{run} = not xsa-emulate %s --inputs %t.npz

target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.bar.warp.sync(i32)
declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, i32)
declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1)
declare i32 @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x1.b16.p3(ptr addrspace(3))
declare void @llvm.nvvm.cp.async.ca.shared.global.4(ptr addrspace(3), ptr addrspace(1))
declare void @llvm.nvvm.cp.async.ca.shared.global.4.s(ptr addrspace(3), ptr addrspace(1), i32)
declare void @llvm.nvvm.cp.async.commit.group()
declare void @llvm.nvvm.cp.async.wait.group(i32)
declare float @llvm.nvvm.d2f.rm(double)
declare void @llvm.trap()
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memcpy.p1.p0.i64(ptr addrspace(1), ptr, i64, i1)
declare <4 x i32> @llvm.masked.load.v4i32.p1(ptr addrspace(1), <4 x i1>, <4 x i32>)

@tile = internal addrspace(3) global [64 x float] poison, align 16
@dynamic = external addrspace(3) global [0 x float], align 16

; RUN: %{run} --kernel past_end --grid 3 --block 32 --arg in:x 2>&1 | FileCheck %s --check-prefix=PASTEND
; PASTEND: error: kernel 'past_end': out-of-bounds global load of 4 bytes: it is 0 bytes past the end of a buffer of 256 bytes (argument 0)
; PASTEND-NEXT: in block (2, 0, 0), thread (0, 0, 0)
; PASTEND-NEXT: at '%value = load float, ptr addrspace(1) %p, align 4'
define ptx_kernel void @past_end(ptr addrspace(1) %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %n = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %start = mul i32 %b, %n
  %i = add i32 %start, %t
  %p = getelementptr float, ptr addrspace(1) %x, i32 %i
  %value = load float, ptr addrspace(1) %p, align 4
  ret void
}

; A generic pointer, and an access that begins in bounds.
; RUN: %{run} --kernel across_end --block 1 --arg inout:x 2>&1 | FileCheck %s --check-prefix=ACROSS
; ACROSS: error: kernel 'across_end': out-of-bounds global store of 8 bytes: its end is 3 bytes past the end of a buffer of 256 bytes (argument 0)
define ptx_kernel void @across_end(ptr %x) {
  %p = getelementptr float, ptr %x, i32 63
  store <2 x float> zeroinitializer, ptr %p, align 4
  ret void
}

; RUN: %{run} --kernel before_start --block 1 --arg in:x 2>&1 | FileCheck %s --check-prefix=BEFORE
; BEFORE: error: kernel 'before_start': out-of-bounds global load of 4 bytes: it is 4 bytes before the start of a buffer of 256 bytes (argument 0)
define ptx_kernel void @before_start(ptr addrspace(1) %x) {
  %p = getelementptr float, ptr addrspace(1) %x, i32 -1
  %value = load float, ptr addrspace(1) %p, align 4
  ret void
}

; RUN: %{run} --kernel null --block 1 2>&1 | FileCheck %s --check-prefix=NULL
; NULL: error: kernel 'null': store of 4 bytes at an address that is in no memory of the device: 0x0
define ptx_kernel void @null() {
  store i32 1, ptr null, align 4
  ret void
}

; RUN: %{run} --kernel misaligned --block 1 --arg in:x 2>&1 | FileCheck %s --check-prefix=MISALIGNED
; MISALIGNED: error: kernel 'misaligned': misaligned global access: the address is a multiple of 4, expected 16
; MISALIGNED-NEXT: in block (0, 0, 0), thread (0, 0, 0)
; MISALIGNED-NEXT: at '%value = load <4 x float>, ptr addrspace(1) %p, align 16'
define ptx_kernel void @misaligned(ptr addrspace(1) %x) {
  %p = getelementptr float, ptr addrspace(1) %x, i32 1
  %value = load <4 x float>, ptr addrspace(1) %p, align 16
  ret void
}

; RUN: %{run} --kernel shared_misaligned --block 1 2>&1 | FileCheck %s --check-prefix=SMISALIGNED
; SMISALIGNED: error: kernel 'shared_misaligned': misaligned shared access: the address is a multiple of 4, expected 8
define ptx_kernel void @shared_misaligned() {
  store double 0.0, ptr addrspace(3) getelementptr (float, ptr addrspace(3) @tile, i32 1), align 8
  ret void
}

; RUN: %{run} --kernel shared_bounds --block 65 2>&1 | FileCheck %s --check-prefix=SBOUNDS
; SBOUNDS: error: kernel 'shared_bounds': out-of-bounds shared store of 4 bytes: byte 256 of shared memory, which has 256
; SBOUNDS-NEXT: in block (0, 0, 0), thread (64, 0, 0)
define ptx_kernel void @shared_bounds() {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr float, ptr addrspace(3) @tile, i32 %t
  store float 0.0, ptr addrspace(3) %p, align 4
  ret void
}

; The dynamic part is as large as the launch says.
; RUN: %{run} --kernel dynamic_bounds --block 9 --shared 32 2>&1 | FileCheck %s --check-prefix=DBOUNDS
; DBOUNDS: error: kernel 'dynamic_bounds': out-of-bounds shared store of 4 bytes: byte 288 of shared memory, which has 288
; DBOUNDS-NEXT: thread (8, 0, 0)
define ptx_kernel void @dynamic_bounds() {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr float, ptr addrspace(3) @dynamic, i32 %t
  store float 0.0, ptr addrspace(3) %p, align 4
  ret void
}

; RUN: %{run} --kernel unwritten --block 64 2>&1 | FileCheck %s --check-prefix=UNWRITTEN
; UNWRITTEN: error: kernel 'unwritten': shared load of 4 bytes reads uninitialised memory: byte 4 of 'tile' was never written
; UNWRITTEN-NEXT: thread (0, 0, 0)
define ptx_kernel void @unwritten() {
  store float 0.0, ptr addrspace(3) @tile, align 4
  %value = load float, ptr addrspace(3) getelementptr (float, ptr addrspace(3) @tile, i32 1), align 4
  ret void
}

; RUN: %{run} --kernel unwritten_global --block 1 --arg out:y:float32[4] 2>&1 | FileCheck %s --check-prefix=UNWRITTENG
; UNWRITTENG: error: kernel 'unwritten_global': global load of 4 bytes reads uninitialised memory: it is at byte 0 of a buffer of 16 bytes (argument 0)
define ptx_kernel void @unwritten_global(ptr addrspace(1) %y) {
  %value = load float, ptr addrspace(1) %y, align 4
  ret void
}

; Scratch memory is like any other, but never copied.
; RUN: %{run} --kernel unwritten_global --block 1 --arg scratch:16 2>&1 | FileCheck %s --check-prefix=UNWRITTENG
; RUN: xsa-emulate %s --kernel incomplete --block 3 --arg scratch:16 2>&1 | count 0
; RUN: %{run} --kernel incomplete --block 5 --arg scratch:16 2>&1 | FileCheck %s --check-prefix=SCRATCH
; SCRATCH: error: kernel 'incomplete': out-of-bounds global store of 4 bytes: it is 0 bytes past the end of a buffer of 16 bytes (argument 0)
; RUN: %{run} --kernel incomplete --block 3 --arg scratch:float32[4] 2>&1 | FileCheck %s --check-prefix=SCRATCHTEXT
; SCRATCHTEXT: error: expected scratch:BYTES, got 'scratch:float32[4]'

; What a kernel leaves out is seen when the host asks for it.
; RUN: %{run} --kernel incomplete --block 3 --arg out:y:float32[4] 2>&1 | FileCheck %s --check-prefix=INCOMPLETE
; INCOMPLETE: error: 'y': a copy to the host reads uninitialised memory: no kernel has written byte 12 of a buffer of 16 bytes
define ptx_kernel void @incomplete(ptr addrspace(1) %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr float, ptr addrspace(1) %y, i32 %t
  store float 0.0, ptr addrspace(1) %p, align 4
  ret void
}

; Between a read and the next write there has to be a barrier, also within a warp.
; RUN: %{run} --kernel read_race --block 32 2>&1 | FileCheck %s --check-prefix=READRACE
; READRACE: error: kernel 'read_race': race on shared memory: shared store of 4 bytes at byte 4 of 'tile' is not ordered after the read by thread (0, 0, 0) at '%value = load
; READRACE-NEXT: thread (1, 0, 0)
define ptx_kernel void @read_race() {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr float, ptr addrspace(3) @tile, i32 %t
  store float 1.0, ptr addrspace(3) %p, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %zero = icmp eq i32 %t, 0
  br i1 %zero, label %read, label %write
read:
  %q = getelementptr float, ptr addrspace(3) @tile, i32 1
  %value = load float, ptr addrspace(3) %q, align 4
  ret void
write:
  store float 2.0, ptr addrspace(3) %p, align 4
  ret void
}

; A shuffle between the lanes does not order memory; bar.warp.sync does.
; RUN: %{run} --kernel shuffle_race --block 32 2>&1 | FileCheck %s --check-prefix=SHUFFLERACE
; SHUFFLERACE: error: kernel 'shuffle_race': race on shared memory: shared load of 4 bytes at byte {{.*}} of 'tile' is not ordered after the write by thread
define ptx_kernel void @shuffle_race() {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr float, ptr addrspace(3) @tile, i32 %t
  store float 1.0, ptr addrspace(3) %p, align 4
  %s = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %t, i32 1, i32 31)
  %q = getelementptr float, ptr addrspace(3) @tile, i32 %s
  %value = load float, ptr addrspace(3) %q, align 4
  ret void
}

; bar.warp.sync orders one warp, not the block.
; RUN: %{run} --kernel warp_race --block 64 2>&1 | FileCheck %s --check-prefix=WARPRACE
; WARPRACE: error: kernel 'warp_race': race on shared memory: shared load of 4 bytes at byte 0 of 'tile' is not ordered after the write by thread (0, 0, 0)
; WARPRACE-NEXT: thread (32, 0, 0)
define ptx_kernel void @warp_race() {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr float, ptr addrspace(3) @tile, i32 %t
  store float 1.0, ptr addrspace(3) %p, align 4
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
  %value = load float, ptr addrspace(3) @tile, align 4
  ret void
}

; RUN: %{run} --kernel missed_barrier --block 64 2>&1 | FileCheck %s --check-prefix=MISSED
; MISSED: error: kernel 'missed_barrier': 63 threads wait at a barrier for ever: 1 have ended without coming to it, the first is thread (40, 0, 0)
; MISSED-NEXT: thread (0, 0, 0)
; MISSED-NEXT: at 'call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)'
define ptx_kernel void @missed_barrier() {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %leaves = icmp eq i32 %t, 40
  br i1 %leaves, label %end, label %wait
wait:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %end
end:
  ret void
}

; RUN: %{run} --kernel two_barriers --block 64 2>&1 | FileCheck %s --check-prefix=TWO
; TWO: error: kernel 'two_barriers': threads wait at different barriers for ever: thread (32, 0, 0) is at 'call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 1)'
define ptx_kernel void @two_barriers() {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %low = icmp ult i32 %t, 32
  br i1 %low, label %a, label %b
a:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  ret void
b:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 1)
  ret void
}

; The same barrier at two places is for different warps, not for lanes of one.
; RUN: %{run} --kernel split_barrier --block 32 2>&1 | FileCheck %s --check-prefix=SPLIT
; SPLIT: error: kernel 'split_barrier': the lanes of a warp are at different barriers: thread (16, 0, 0) is at
define ptx_kernel void @split_barrier() {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %low = icmp ult i32 %t, 16
  br i1 %low, label %a, label %b
a:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  ret void
b:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  ret void
}

; RUN: %{run} --kernel diverged --block 32 2>&1 | FileCheck %s --check-prefix=DIVERGED
; DIVERGED: error: kernel 'diverged': the lanes of mask 0xffffffff have diverged: thread (7, 0, 0) is at 'call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)'
define ptx_kernel void @diverged() {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %odd = icmp eq i32 %t, 7
  br i1 %odd, label %a, label %b
a:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  ret void
b:
  %v = call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 true)
  ret void
}

; RUN: %{run} --kernel masks --block 32 2>&1 | FileCheck %s --check-prefix=MASKS
; MASKS: error: kernel 'masks': the lanes of mask 0x0000ffff have diverged: thread (8, 0, 0) has the mask 0xffffffff
define ptx_kernel void @masks() {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %low = icmp ult i32 %t, 8
  %mask = select i1 %low, i32 65535, i32 -1
  %v = call i32 @llvm.nvvm.vote.ballot.sync(i32 %mask, i1 true)
  ret void
}

; RUN: %{run} --kernel outside_mask --block 32 2>&1 | FileCheck %s --check-prefix=OUTSIDE
; OUTSIDE: error: kernel 'outside_mask': the mask 0x0000ffff does not have the lane that executes it
; OUTSIDE-NEXT: thread (16, 0, 0)
define ptx_kernel void @outside_mask() {
  %v = call i32 @llvm.nvvm.vote.ballot.sync(i32 65535, i1 true)
  ret void
}

; RUN: %{run} --kernel absent_lane --block 16 2>&1 | FileCheck %s --check-prefix=ABSENT
; ABSENT: error: kernel 'absent_lane': a shuffle reads from lane 16, which does not take part: lanes 0x0000ffff do
define ptx_kernel void @absent_lane() {
  %v = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 0, i32 16, i32 31)
  ret void
}

; RUN: %{run} --kernel part_of_warp --block 40 2>&1 | FileCheck %s --check-prefix=PART
; PART: error: kernel 'part_of_warp': an instruction for all 32 lanes of a warp is executed by lanes 0x000000ff only: the others have ended or never were
; PART-NEXT: thread (32, 0, 0)
define ptx_kernel void @part_of_warp() {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %in = icmp ult i32 %t, 32
  %p = getelementptr float, ptr addrspace(3) @tile, i32 %t
  br i1 %in, label %write, label %read
write:
  store float 0.0, ptr addrspace(3) %p, align 4
  br label %read
read:
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
  %v = call i32 @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x1.b16.p3(ptr addrspace(3) @tile)
  ret void
}

; RUN: %{run} --kernel in_flight --block 1 --arg in:x 2>&1 | FileCheck %s --check-prefix=INFLIGHT
; INFLIGHT: error: kernel 'in_flight': shared load of 4 bytes meets an asynchronous copy that was not waited for: byte 4 of 'tile' is to be written by thread (0, 0, 0) at 'call void @llvm.nvvm.cp.async
define ptx_kernel void @in_flight(ptr addrspace(1) %x) {
  %q = getelementptr float, ptr addrspace(3) @tile, i32 1
  call void @llvm.nvvm.cp.async.ca.shared.global.4(ptr addrspace(3) @tile, ptr addrspace(1) %x)
  call void @llvm.nvvm.cp.async.commit.group()
  call void @llvm.nvvm.cp.async.ca.shared.global.4(ptr addrspace(3) %q, ptr addrspace(1) %x)
  call void @llvm.nvvm.cp.async.commit.group()
  call void @llvm.nvvm.cp.async.wait.group(i32 1)
  %a = load float, ptr addrspace(3) @tile, align 4
  %b = load float, ptr addrspace(3) %q, align 4
  ret void
}

; Waiting is for one's own copies; others need a barrier after it.
; RUN: %{run} --kernel copy_race --block 32 --arg in:x 2>&1 | FileCheck %s --check-prefix=COPYRACE
; COPYRACE: error: kernel 'copy_race': race on shared memory: shared load of 4 bytes at byte 0 of 'tile' is not ordered after the write by thread (0, 0, 0)
; COPYRACE-NEXT: thread (1, 0, 0)
define ptx_kernel void @copy_race(ptr addrspace(1) %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %zero = icmp eq i32 %t, 0
  br i1 %zero, label %copy, label %read
copy:
  call void @llvm.nvvm.cp.async.ca.shared.global.4(ptr addrspace(3) @tile, ptr addrspace(1) %x)
  call void @llvm.nvvm.cp.async.commit.group()
  call void @llvm.nvvm.cp.async.wait.group(i32 0)
  br label %read
read:
  %value = load float, ptr addrspace(3) @tile, align 4
  ret void
}

; The source changes while the copy may be on its way.
; RUN: %{run} --kernel landing --block 1 --arg inout:x 2>&1 | FileCheck %s --check-prefix=LANDING
; LANDING: error: kernel 'landing': the result depends on when asynchronous copies land: it differs at byte {{[4-7]}} of a buffer of 256 bytes
define ptx_kernel void @landing(ptr addrspace(1) %x) {
  call void @llvm.nvvm.cp.async.ca.shared.global.4(ptr addrspace(3) @tile, ptr addrspace(1) %x)
  call void @llvm.nvvm.cp.async.commit.group()
  store float 5.0, ptr addrspace(1) %x, align 4
  call void @llvm.nvvm.cp.async.wait.group(i32 0)
  %value = load float, ptr addrspace(3) @tile, align 4
  %p = getelementptr float, ptr addrspace(1) %x, i32 1
  store float %value, ptr addrspace(1) %p, align 4
  ret void
}

; RUN: %{run} --kernel long_copy --block 1 --arg in:x 2>&1 | FileCheck %s --check-prefix=LONGCOPY
; LONGCOPY: error: kernel 'long_copy': an asynchronous copy of 4 bytes is to read 8
define ptx_kernel void @long_copy(ptr addrspace(1) %x) {
  call void @llvm.nvvm.cp.async.ca.shared.global.4.s(ptr addrspace(3) @tile, ptr addrspace(1) %x, i32 8)
  ret void
}

; RUN: %{run} --kernel unknown --block 1 2>&1 | FileCheck %s --check-prefix=UNKNOWN
; UNKNOWN: error: kernel 'unknown': the emulator does not know this instruction
; UNKNOWN: at '%value = call float @llvm.nvvm.d2f.rm(double 1.000000e+00)'
define ptx_kernel void @unknown() {
  %value = call float @llvm.nvvm.d2f.rm(double 1.0)
  ret void
}

; RUN: %{run} --kernel assembly --block 1 2>&1 | FileCheck %s --check-prefix=ASSEMBLY
; ASSEMBLY: error: kernel 'assembly': the emulator does not know this instruction
; ASSEMBLY: at 'call void asm sideeffect "nanosleep.u32 5;", ""()'
define ptx_kernel void @assembly() {
  call void asm sideeffect "nanosleep.u32 5;", ""()
  ret void
}

; RUN: %{run} --kernel traps --block 1 2>&1 | FileCheck %s --check-prefix=TRAP
; TRAP: error: kernel 'traps': the kernel trapped
define ptx_kernel void @traps() {
  call void @llvm.trap()
  unreachable
}

; RUN: %{run} --kernel unreached --block 1 2>&1 | FileCheck %s --check-prefix=UNREACHABLE
; UNREACHABLE: error: kernel 'unreached': the kernel has come to 'unreachable'
; UNREACHABLE-NEXT: in block (0, 0, 0), thread (0, 0, 0)
; UNREACHABLE-NEXT: at 'unreachable'
define ptx_kernel void @unreached() {
  unreachable
}

; RUN: %{run} --kernel by_zero --block 9 --arg inout:x 2>&1 | FileCheck %s --check-prefix=BYZERO
; BYZERO: error: kernel 'by_zero': integer division by zero
; BYZERO-NEXT: in block (0, 0, 0), thread (3, 0, 0)
; BYZERO-NEXT: at '%value = urem i32 %t, %d'
define ptx_kernel void @by_zero(ptr addrspace(1) %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %d = sub i32 3, %t
  %value = urem i32 %t, %d
  store i32 %value, ptr addrspace(1) %x, align 4
  ret void
}

; Any lane of a vector.
; RUN: %{run} --kernel overflow --block 1 --arg inout:x 2>&1 | FileCheck %s --check-prefix=OVERFLOW
; OVERFLOW: error: kernel 'overflow': integer division overflows: the least number divided by -1
; OVERFLOW-NEXT: thread (0, 0, 0)
; OVERFLOW-NEXT: at '%value = sdiv <2 x i32> %a, %b'
define ptx_kernel void @overflow(ptr addrspace(1) %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %minus = sub i32 %t, 1
  %a = insertelement <2 x i32> <i32 8, i32 -2147483648>, i32 %t, i32 0
  %b = insertelement <2 x i32> <i32 2, i32 2>, i32 %minus, i32 1
  %value = sdiv <2 x i32> %a, %b
  store <2 x i32> %value, ptr addrspace(1) %x, align 8
  ret void
}

; RUN: %{run} --kernel endless --block 1 --arg inout:x 2>&1 | FileCheck %s --check-prefix=ENDLESS
; ENDLESS: error: kernel 'endless': the thread's stack is full: it has 262144 bytes in the emulator
; ENDLESS-NEXT: thread (0, 0, 0)
; ENDLESS-NEXT: at '%r = call i32 @sum(i32 %m)' in 'sum'
define i32 @sum(i32 %n) {
  %m = add i32 %n, 1
  %r = call i32 @sum(i32 %m)
  %s = add i32 %r, %n
  ret i32 %s
}
define ptx_kernel void @endless(ptr addrspace(1) %x) {
  %r = call i32 @sum(i32 0)
  store i32 %r, ptr addrspace(1) %x, align 4
  ret void
}

; RUN: %{run} --kernel calls_large --block 1 2>&1 | FileCheck %s --check-prefix=LARGE
; LARGE: error: kernel 'calls_large': the thread's stack is full
; LARGE: at 'call void @large()'
define void @large() {
  %a = alloca [100000 x i32]
  store volatile i32 1, ptr %a, align 4
  ret void
}
define ptx_kernel void @calls_large() {
  call void @large()
  ret void
}

; RUN: %{run} --kernel large_locals --block 1 2>&1 | FileCheck %s --check-prefix=LOCALS
; LOCALS: error: kernel 'large_locals': expected at most 196608 bytes of local variables, got 400000
define ptx_kernel void @large_locals() {
  %a = alloca [100000 x i32]
  store volatile i32 1, ptr %a, align 4
  ret void
}

; A variable outside of the entry block is a new one each time.
; RUN: %{run} --kernel locals_in_loop --block 1 2>&1 | FileCheck %s --check-prefix=LOOPLOCALS
; LOOPLOCALS: error: kernel 'locals_in_loop': the thread's stack is full
; LOOPLOCALS: at '%a = alloca [100 x i32], align 4'
define ptx_kernel void @locals_in_loop() {
  br label %again
again:
  %a = alloca [100 x i32], align 4
  store volatile i32 1, ptr %a, align 4
  br label %again
}

; RUN: %{run} --kernel dynamic_locals --block 1 2>&1 | FileCheck %s --check-prefix=DYNAMICLOCALS
; DYNAMICLOCALS: error: kernel 'dynamic_locals': the emulator does not know this instruction
; DYNAMICLOCALS: at '%a = alloca i32, i32 %t
define ptx_kernel void @dynamic_locals() {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a = alloca i32, i32 %t
  store volatile i32 1, ptr %a, align 4
  ret void
}

; RUN: %{run} --kernel calls_value --block 1 2>&1 | FileCheck %s --check-prefix=VALUE
; VALUE: error: kernel 'calls_value': the emulator does not know this instruction
; VALUE: at 'call void %f()'
define ptx_kernel void @calls_value() {
  %f = inttoptr i64 4096 to ptr
  call void %f()
  ret void
}

; RUN: %{run} --kernel local_bounds --block 5 2>&1 | FileCheck %s --check-prefix=LOCALBOUNDS
; LOCALBOUNDS: error: kernel 'local_bounds': out-of-bounds local store of 4 bytes: it is at byte 16 of a variable of 16 bytes
; LOCALBOUNDS-NEXT: in block (0, 0, 0), thread (4, 0, 0)
; LOCALBOUNDS-NEXT: at 'store volatile i32 1, ptr %p, align 4'
define ptx_kernel void @local_bounds() {
  %a = alloca [4 x i32]
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr %a, i32 %t
  store volatile i32 1, ptr %p, align 4
  ret void
}

; A constant index, in the address space of local memory.
; RUN: %{run} --kernel local_before --block 1 2>&1 | FileCheck %s --check-prefix=LOCALBEFORE
; LOCALBEFORE: error: kernel 'local_before': out-of-bounds local load of 4 bytes: it is at byte -4 of a variable of 16 bytes
define ptx_kernel void @local_before() {
  %a = alloca [4 x i32], addrspace(5)
  %p = getelementptr i32, ptr addrspace(5) %a, i64 -1
  %value = load volatile i32, ptr addrspace(5) %p, align 4
  ret void
}

; RUN: %{run} --kernel local_misaligned --block 1 2>&1 | FileCheck %s --check-prefix=LOCALMISALIGNED
; LOCALMISALIGNED: error: kernel 'local_misaligned': misaligned local access: the address is a multiple of {{4|8}}, expected 16
define ptx_kernel void @local_misaligned() {
  %a = alloca [8 x i32], align 16
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = add i32 %t, 3
  %p = getelementptr i32, ptr %a, i32 %i
  store volatile <4 x i32> zeroinitializer, ptr %p, align 16
  ret void
}

; RUN: %{run} --kernel local_fill --block 1 2>&1 | FileCheck %s --check-prefix=LOCALFILL
; LOCALFILL: error: kernel 'local_fill': out-of-bounds local store of 17 bytes: it is at byte 0 of a variable of 16 bytes
define ptx_kernel void @local_fill() {
  %a = alloca [4 x i32]
  call void @llvm.memset.p0.i64(ptr %a, i8 0, i64 17, i1 false)
  ret void
}

; RUN: %{run} --kernel local_copy --block 1 --arg inout:x 2>&1 | FileCheck %s --check-prefix=LOCALCOPY
; LOCALCOPY: error: kernel 'local_copy': out-of-bounds local load of 17 bytes: it is at byte 0 of a variable of 16 bytes
define ptx_kernel void @local_copy(ptr addrspace(1) %x) {
  %a = alloca [4 x i32]
  call void @llvm.memcpy.p1.p0.i64(ptr addrspace(1) %x, ptr %a, i64 17, i1 false)
  ret void
}

; Intrinsics of all targets would go to the host's memory.
; RUN: %{run} --kernel masked --block 1 --arg in:x 2>&1 | FileCheck %s --check-prefix=MASKED
; MASKED: error: kernel 'masked': the emulator does not know this instruction
; MASKED: at '%value = call <4 x i32> @llvm.masked.load
define ptx_kernel void @masked(ptr addrspace(1) %x) {
  %value = call <4 x i32> @llvm.masked.load.v4i32.p1(ptr addrspace(1) %x, <4 x i1> splat (i1 true), <4 x i32> zeroinitializer)
  ret void
}

; RUN: %{run} --kernel traps --block 2000 2>&1 | FileCheck %s --check-prefix=THREADS
; THREADS: error: kernel 'traps': expected 1 to 1024 threads in a block, got 2000 x 1 x 1

; RUN: %{run} --kernel traps --grid 0 2>&1 | FileCheck %s --check-prefix=BLOCKS
; BLOCKS: error: kernel 'traps': expected at least one block, got 0 x 1 x 1

; RUN: %{run} --kernel traps --shared 300000 2>&1 | FileCheck %s --check-prefix=SIZE
; SIZE: error: kernel 'traps': expected at most 232448 bytes of shared memory, got 300256

; RUN: %{run} --kernel past_end 2>&1 | FileCheck %s --check-prefix=PARAMETERS
; PARAMETERS: error: kernel 'past_end': expected 1 parameters, got 0

; RUN: %{run} --kernel absent 2>&1 | FileCheck %s --check-prefix=KERNEL
; KERNEL: error: there is no kernel 'absent'

; RUN: %{run} 2>&1 | FileCheck %s --check-prefix=CHOOSE
; CHOOSE: error: expected --kernel, one of 'past_end', 'across_end',

; REQUIRES: execution, numpy
; What the lanes of a warp and the threads of a block do together, each result
; compared with numpy.
;
; RUN: xsa-emulate %s --kernel lanes --block 32 --arg out:r:int32[11,32] --outputs %t.npz
; RUN: %python %S/Inputs/collectives.py lanes %t.npz
; RUN: xsa-emulate %s --kernel threads --block 70 --arg out:r:int32[4,70] --outputs %t.npz
; RUN: %python %S/Inputs/collectives.py threads %t.npz
; RUN: xsa-emulate %s --kernel producer --block 64 --arg out:r:int32[32] --outputs %t.npz
; RUN: %python %S/Inputs/collectives.py producer %t.npz

target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.laneid()
declare i32 @llvm.nvvm.shfl.sync.up.i32(i32, i32, i32, i32)
declare i32 @llvm.nvvm.shfl.sync.down.i32(i32, i32, i32, i32)
declare {i32, i1} @llvm.nvvm.shfl.sync.idx.i32p(i32, i32, i32, i32)
declare float @llvm.nvvm.shfl.sync.bfly.f32(i32, float, i32, i32)
declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1)
declare i1 @llvm.nvvm.vote.all.sync(i32, i1)
declare i32 @llvm.nvvm.match.any.sync.i32(i32, i32)
declare i32 @llvm.nvvm.redux.sync.add(i32, i32)
declare i32 @llvm.nvvm.redux.sync.umax(i32, i32)
declare {i32, i1} @llvm.nvvm.elect.sync(i32)
declare i32 @llvm.nvvm.prmt(i32, i32, i32)
declare i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all(i32, i1)
declare i1 @llvm.nvvm.barrier.cta.red.or.aligned.all(i32, i1)
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.barrier.cta.sync.aligned.count(i32, i32)
declare void @llvm.nvvm.barrier.cta.arrive.aligned.count(i32, i32)

@word = internal addrspace(3) global [64 x i32] poison, align 4

define internal void @write(ptr addrspace(1) %r, i32 %row, i32 %value) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %n = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %start = mul i32 %row, %n
  %i = add i32 %start, %t
  %p = getelementptr i32, ptr addrspace(1) %r, i32 %i
  store i32 %value, ptr addrspace(1) %p, align 4
  ret void
}

define ptx_kernel void @lanes(ptr addrspace(1) %r) {
  %l = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  ; Segments of 8 lanes: clamp 0 up, 31 down, bits 8 to 12 hold the segment mask.
  %up = call i32 @llvm.nvvm.shfl.sync.up.i32(i32 -1, i32 %l, i32 3, i32 6144)
  call void @write(ptr addrspace(1) %r, i32 0, i32 %up)
  %down = call i32 @llvm.nvvm.shfl.sync.down.i32(i32 -1, i32 %l, i32 5, i32 31)
  call void @write(ptr addrspace(1) %r, i32 1, i32 %down)
  %source = mul i32 %l, 3
  %idx = call {i32, i1} @llvm.nvvm.shfl.sync.idx.i32p(i32 -1, i32 %l, i32 %source, i32 31)
  %idx.value = extractvalue {i32, i1} %idx, 0
  call void @write(ptr addrspace(1) %r, i32 2, i32 %idx.value)
  %float = uitofp i32 %l to float
  %fly = call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %float, i32 10, i32 31)
  %fly.value = fptosi float %fly to i32
  call void @write(ptr addrspace(1) %r, i32 3, i32 %fly.value)
  %odd = trunc i32 %l to i1
  %ballot = call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 %odd)
  call void @write(ptr addrspace(1) %r, i32 4, i32 %ballot)
  %all = call i1 @llvm.nvvm.vote.all.sync(i32 -1, i1 %odd)
  %all.value = zext i1 %all to i32
  call void @write(ptr addrspace(1) %r, i32 5, i32 %all.value)
  %rest = urem i32 %l, 5
  %match = call i32 @llvm.nvvm.match.any.sync.i32(i32 -1, i32 %rest)
  call void @write(ptr addrspace(1) %r, i32 6, i32 %match)
  ; Halves of a warp at the same instruction, with masks of their own.
  %high = icmp uge i32 %l, 16
  %mask = select i1 %high, i32 -65536, i32 65535
  %sum = call i32 @llvm.nvvm.redux.sync.add(i32 %l, i32 %mask)
  call void @write(ptr addrspace(1) %r, i32 7, i32 %sum)
  %max = call i32 @llvm.nvvm.redux.sync.umax(i32 %l, i32 -1)
  call void @write(ptr addrspace(1) %r, i32 8, i32 %max)
  %elected = call {i32, i1} @llvm.nvvm.elect.sync(i32 -1)
  %is = extractvalue {i32, i1} %elected, 1
  %is.value = zext i1 %is to i32
  call void @write(ptr addrspace(1) %r, i32 9, i32 %is.value)
  ; Selectors 5, 0, 4 and 7.
  %bytes = call i32 @llvm.nvvm.prmt(i32 -2130640639, i32 %l, i32 29701)
  call void @write(ptr addrspace(1) %r, i32 10, i32 %bytes)
  ret void
}

define ptx_kernel void @threads(ptr addrspace(1) %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %third = urem i32 %t, 3
  %zero = icmp eq i32 %third, 0
  %count = call i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all(i32 0, i1 %zero)
  call void @write(ptr addrspace(1) %r, i32 0, i32 %count)
  %last = icmp eq i32 %t, 69
  %or = call i1 @llvm.nvvm.barrier.cta.red.or.aligned.all(i32 1, i1 %last)
  %or.value = zext i1 %or to i32
  call void @write(ptr addrspace(1) %r, i32 1, i32 %or.value)
  ; Warps meet at barrier 0 from two places.
  %warp = lshr i32 %t, 5
  %first = icmp eq i32 %warp, 0
  br i1 %first, label %store, label %wait
store:
  %p = getelementptr i32, ptr addrspace(3) @word, i32 %t
  store i32 %t, ptr addrspace(3) %p, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %read
wait:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %read
read:
  %word = load i32, ptr addrspace(3) getelementptr (i32, ptr addrspace(3) @word, i32 31), align 4
  call void @write(ptr addrspace(1) %r, i32 2, i32 %word)
  ; Generic pointers reach shared memory and the thread's own.
  %local = alloca i32, align 4
  store i32 %t, ptr %local, align 4
  %shared = addrspacecast ptr addrspace(3) @word to ptr
  %even = trunc i32 %t to i1
  %any = select i1 %even, ptr %local, ptr %shared
  %value = load i32, ptr %any, align 4
  call void @write(ptr addrspace(1) %r, i32 3, i32 %value)
  ret void
}

; One warp fills, the other reads; only the reader waits.
define ptx_kernel void @producer(ptr addrspace(1) %r) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %reads = icmp ult i32 %t, 32
  br i1 %reads, label %consumer, label %producer
producer:
  %p = getelementptr i32, ptr addrspace(3) @word, i32 %t
  store i32 %t, ptr addrspace(3) %p, align 4
  call void @llvm.nvvm.barrier.cta.arrive.aligned.count(i32 2, i32 64)
  ret void
consumer:
  call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 2, i32 64)
  %other = xor i32 %t, 63
  %q = getelementptr i32, ptr addrspace(3) @word, i32 %other
  %value = load i32, ptr addrspace(3) %q, align 4
  %out = getelementptr i32, ptr addrspace(1) %r, i32 %t
  store i32 %value, ptr addrspace(1) %out, align 4
  ret void
}

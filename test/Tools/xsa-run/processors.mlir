// REQUIRES: execution, x86_64
// Processors and features that LLVM would warn of, or that would end the process.
// RUN: not xsa-run %s --cpu nonsense 2>&1 | FileCheck %s --check-prefix=CPU
// CPU: error: unknown processor 'nonsense' for x86_64
// CPU-NOT: warning
// CPU-NOT: ignoring
// What compilers call the processor they run on.
// RUN: xsa-run %s --cpu native
// RUN: not xsa-run %s --features=+avx2,+nonsense 2>&1 | FileCheck %s --check-prefix=FEATURE
// FEATURE: error: unknown processor feature 'nonsense' for x86_64
// RUN: not xsa-run %s --features=avx2 2>&1 | FileCheck %s --check-prefix=SIGN
// SIGN: error: expected processor features as +name or -name, got 'avx2'
// RUN: not xsa-run %s --cpu i386 2>&1 | FileCheck %s --check-prefix=OLD
// OLD: error: expected a processor with 64-bit mode and SSE2, got 'i386'{{$}}
// RUN: not xsa-run %s --features=-sse2 2>&1 | FileCheck %s --check-prefix=WITHOUT
// RUN: not xsa-run %s --features=-64bit 2>&1 | FileCheck %s --check-prefix=WITHOUT
// WITHOUT: error: expected a processor with 64-bit mode and SSE2, got '{{.+}}' with '-{{sse2|64bit}}'
// RUN: not xsa-run %s --cpu x86-64-v3 --features=+avx512bf16 2>&1 | FileCheck %s --check-prefix=SHORT
// SHORT: error: expected 'avx512vl' beside 'avx512bf16', as processors have them, got 'x86-64-v3' with '+avx512bf16'{{$}}
// Features that change conventions or the mode, or need code from elsewhere.
// RUN: not xsa-run %s --features=+soft-float 2>&1 | FileCheck %s --check-prefix=CONVENTION
// RUN: not xsa-run %s --features=+16bit-mode 2>&1 | FileCheck %s --check-prefix=CONVENTION
// RUN: not xsa-run %s --features=+avx,+retpoline 2>&1 | FileCheck %s --check-prefix=CONVENTION
// RUN: not xsa-run %s --features=+seses 2>&1 | FileCheck %s --check-prefix=CONVENTION
// RUN: not xsa-run %s --features=+lvi-cfi 2>&1 | FileCheck %s --check-prefix=CONVENTION
// CONVENTION: error: expected features that are instructions of a processor, such as avx2: code with '{{[+-](soft-float|16bit-mode|retpoline|seses|lvi-cfi)}}' cannot be called from this process
// Said as they are, they change nothing.
// RUN: xsa-run %s --cpu x86-64 --features=+64bit,-soft-float,-16bit-mode
// An extension that no processor has together with the others.
// RUN: not xsa-run %s --cpu x86-64 --features=+xop,+avx512vp2intersect 2>&1 | FileCheck %s --check-prefix=LACKS
// LACKS: error: this machine's processor does not have '{{.+}}', which code for 'x86-64' with '+xop,+avx512vp2intersect' needs
// What LLVM would not use by itself, but was asked for; no processor has both.
// RUN: not xsa-run %s --features=+kl,+enqcmd 2>&1 | FileCheck %s --check-prefix=ASKED
// ASKED: error: this machine's processor does not have '{{kl|enqcmd}}', which code for
// RUN: xsa-run %s --cpu x86-64 --features=-avx

func.func @main() {
  return
}

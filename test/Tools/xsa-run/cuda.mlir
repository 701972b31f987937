// Kernels for the GPU of this machine, on a driver that runs them on the
// emulator: its compute capability is asked for, and each kernel is assembled
// once, however many layers launch it.
//
// REQUIRES: execution, numpy
// RUN: rm -rf %t && mkdir -p %t/bin
// RUN: echo '#!/bin/sh' > %t/bin/ptxas
// RUN: echo 'exec %python %S/Inputs/assembler.py "$@"' >> %t/bin/ptxas
// RUN: chmod +x %t/bin/ptxas
// RUN: %python -c "import numpy as np; r = np.random.default_rng(0).standard_normal; np.savez('%t/in.npz', **{f'arg{i}': r((4, 100, 64)).astype(np.float16) for i in range(3)})"
// RUN: xsa-run %s --target emulator --inputs %t/in.npz --outputs %t/emulator.npz

// DEFINE: %{environment} = env PATH=%t/bin:/usr/bin:/bin XSA_RUN=%xsa_tools_dir/xsa-run MODEL=%s LOG=%t/log
// DEFINE: %{run} = %with_fake_driver %xsa_tools_dir/xsa-run %s --target cuda --inputs %t/in.npz --outputs %t/cuda.npz
// DEFINE: %{compare} = %python -c "import numpy as np; a, b = (np.load(f'%t/{n}.npz')['out0'] for n in ('emulator', 'cuda')); assert np.abs(np.float64(a) - b).max() < 2e-3"

// RUN: %{environment} FAKE_CAPABILITY=90 %{run}
// RUN: %{compare}
// RUN: FileCheck %s --input-file %t/log --check-prefix=HOPPER
// HOPPER:     assembled sm_90 for sm_90
// HOPPER-NOT: assembled

// A GPU that is later than the chips known takes code of its generation.
// RUN: rm %t/log %t/cuda.npz
// RUN: %{environment} FAKE_CAPABILITY=105 %{run}
// RUN: %{compare}
// RUN: FileCheck %s --input-file %t/log --check-prefix=LATER
// LATER: assembled sm_103 for sm_103

// A chip that is asked for is taken if its code runs on the GPU.
// RUN: rm %t/log %t/cuda.npz
// RUN: %{environment} FAKE_CAPABILITY=86 %{run} --chip sm_80
// RUN: %{compare}
// RUN: FileCheck %s --input-file %t/log --check-prefix=OLDER
// OLDER: assembled sm_80 for sm_80

// RUN: rm %t/cuda.npz
// RUN: not %{environment} FAKE_CAPABILITY=90 %{run} --chip sm_80 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: error: kernels for 'sm_80' do not run on this GPU, which has compute capability 9.0: expected 'sm_90'
// RUN: not %{environment} FAKE_CAPABILITY=86 %{run} --chip sm_89 2>&1 | FileCheck %s --check-prefix=NEWER
// NEWER: error: kernels for 'sm_89' do not run on this GPU, which has compute capability 8.6: expected 'sm_86'
// RUN: not %{environment} FAKE_CAPABILITY=103 %{run} --chip sm_100a 2>&1 | FileCheck %s --check-prefix=ALONE
// ALONE: error: kernels for 'sm_100a' do not run on this GPU, which has compute capability 10.3: expected 'sm_103'
// RUN: not %{environment} FAKE_CAPABILITY=75 %{run} 2>&1 | FileCheck %s --check-prefix=OLD
// OLD: error: there are no kernels for this GPU, which has compute capability 7.5: expected one from 8.0 to 12.1
// RUN: not %{environment} %{run} --chip sm_99 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: {{.*}}unknown chip 'sm_99': expected sm_80 or a later one, such as sm_90
// RUN: not ls %t/cuda.npz

#q = affine_map<(h, m, k1, k2, n) -> (h, m, k1)>
#k = affine_map<(h, m, k1, k2, n) -> (h, k2, k1)>
#v = affine_map<(h, m, k1, k2, n) -> (h, k2, n)>
#s = affine_map<(h, m, k1, k2, n) -> (h, m, n)>
!t = tensor<4x100x64xf16>

func.func @main(%q: !t, %k: !t, %v: !t) -> !t {
  %empty = tensor.empty() : !t
  %y = xsa.attention {causal, exclusion = #xsa.exclusion<l2_clamp, eps = 1.0e-12>, scale = 0.125 : f64, indexing_maps = [#q, #k, #v, #s, #s]}
      ins(%q, %k, %v : !t, !t, !t) self_value(%v : !t) outs(%empty : !t) -> !t
  %z = xsa.attention {causal, exclusion = #xsa.exclusion<l2_clamp, eps = 1.0e-12>, scale = 0.125 : f64, indexing_maps = [#q, #k, #v, #s, #s]}
      ins(%y, %k, %v : !t, !t, !t) self_value(%v : !t) outs(%empty : !t) -> !t
  return %z : !t
}

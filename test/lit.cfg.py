import ctypes
import os
import platform
import shutil
import subprocess

import lit.formats
from lit.llvm import llvm_config
from lit.llvm.subst import ToolSubst

config.name = "XSA"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".ll", ".mlir", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.xsa_obj_root, "test")

llvm_config.with_system_environment(["HOME", "TMP", "TEMP"])
llvm_config.with_environment("PATH", config.llvm_tools_dir, append_path=True)
if "address" in config.xsa_sanitize:
    # LLVM's own code is not instrumented: the bookkeeping of containers, and
    # allocators that our code poisons and LLVM's does not unpoison, would be
    # reported where the two meet. An allocation that is too large fails as the
    # system's would, so that its error is what a test sees.
    llvm_config.with_environment(
        "ASAN_OPTIONS",
        "detect_container_overflow=0:allow_user_poisoning=0:detect_leaks=1"
        ":allocator_may_return_null=1",
    )

# What the drivers of the numerical tests share.
llvm_config.with_environment(
    "PYTHONPATH", os.path.join(config.test_source_root, "Integration"), append_path=True
)
config.substitutions.append(("%xsa_src_root", config.xsa_src_root))
config.substitutions.append(("%xsa_tools_dir", config.xsa_tools_dir))
config.substitutions.append(("%mlir_dir", config.mlir_dir))
config.substitutions.append(("%python", f'"{config.python_executable}"'))
# How many random models each of the eight tests looks at; instrumented tools are slow.
config.substitutions.append(("%random_models", "10" if config.xsa_sanitize else "260"))
tools = ["xsa-emulate", "xsa-opt", "xsa-replay", "xsa-run", "xsa-lsp-server"]
tools += [
    ToolSubst("mlir-opt", unresolved="ignore"),
    ToolSubst("mlir-translate", unresolved="ignore"),
]
llvm_config.add_tool_substitutions(tools, [config.xsa_tools_dir, config.llvm_tools_dir])
llvm_config.add_tool_substitutions(
    ["FileCheck", "not", "count", "split-file"], config.llvm_tools_dir
)

if config.xsa_enable_execution:
    config.available_features.add("execution")
if platform.machine() in ("x86_64", "AMD64"):
    config.available_features.add("x86_64")
if os.path.exists("/proc/cpuinfo") and "avx512_bf16" in open("/proc/cpuinfo").read():
    config.available_features.add("avx512_bf16")
if (
    subprocess.run([config.python_executable, "-c", "import numpy"], capture_output=True).returncode
    == 0
):
    config.available_features.add("numpy")
try:
    ctypes.CDLL("libcuda.so.1")
    config.available_features.add("cuda-driver")
except OSError:
    pass
if shutil.which("ptxas"):
    config.available_features.add("ptxas")
# Finds the driver that runs kernels on the emulator.
config.substitutions.append(
    (
        "%with_fake_driver",
        f"env LD_LIBRARY_PATH={os.path.join(config.test_exec_root, 'lib', 'FakeDriver')}",
    )
)
plugin = os.path.join(config.xsa_libs_dir, "xsa-plugin" + config.llvm_shlib_ext)
if os.path.exists(plugin) and not config.xsa_sanitize:
    # An instrumented module cannot be loaded into a tool that is not.
    config.available_features.add("plugin")
    config.substitutions.append(("%xsa_plugin", plugin))

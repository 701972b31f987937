"""Exclusive self attention for models in MLIR.

    import xsa

    module = xsa.load("gpt2.mlir")          # as an importer wrote it
    print(module.explain())                 # what would be converted, and why not the rest
    module.convert_attention(layers="last:4")
    model = module.compile()
    logits = model(tokens)                  # numpy arrays in and out, not copied

docs/python.md of the project is the guide.
"""

from ._compiled import CompiledModel, TensorType
from ._core import version as __version__
from ._errors import CompileError, Diagnostic, Error, ExecutionError
from ._explanation import Attention, Explanation
from ._module import Module, load

__all__ = [
    "Attention",
    "CompileError",
    "CompiledModel",
    "Diagnostic",
    "Error",
    "ExecutionError",
    "Explanation",
    "Module",
    "TensorType",
    "__version__",
    "load",
]

# Where users find them is what they are called, in tracebacks and in help().
for _name in __all__:
    if isinstance(globals()[_name], type):
        globals()[_name].__module__ = __name__
load.__module__ = __name__
del _name

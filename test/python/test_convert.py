"""Raising, converting and explaining, with numbers against float64."""

import numpy as np
import pytest
import xsa
from conftest import ATTENTION, attend, exclude

TOLERANCE = dict(rtol=0, atol=2e-5)


def random(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape, dtype=np.float32)


X, W = random(2, 6, 4), random(2, 4, 4, seed=1)


def layers(first=lambda y, v: y, second=lambda y, v: y) -> np.ndarray:
    """The function @layers in float64, with something done to each attention's output."""
    v0 = np.float64(X) @ W
    y0 = first(attend(X, X, v0), v0)
    v1 = y0 @ W
    return second(attend(y0, y0, v1), v1)


# --- What it computes -------------------------------------------------------------


def test_compiles_as_imported(attention):
    np.testing.assert_allclose(attention.compile("layers")(X, W), layers(), **TOLERANCE)


def test_raising_keeps_the_meaning(attention):
    assert attention.raise_attention() is attention
    assert str(attention).count("xsa.attention") == 3
    assert "exclusion" not in str(attention)
    np.testing.assert_allclose(attention.compile("layers")(X, W), layers(), **TOLERANCE)


def test_conversion(attention):
    assert attention.convert_attention() is attention
    result = attention.compile("layers")(X, W)
    np.testing.assert_allclose(result, layers(exclude, exclude), **TOLERANCE)


@pytest.mark.parametrize("denominator, eps", [("l2_clamp", 1.5), ("sq_clamp", 3), ("sq_add", 0.7)])
@pytest.mark.parametrize("strength", [1, -0.5])
def test_denominators(attention, denominator, eps, strength):
    attention.convert_attention(denominator=denominator, eps=eps, strength=strength)
    converted = attention.explain().converted[0]
    assert (converted.denominator, converted.eps, converted.strength) == (
        denominator,
        eps,
        strength,
    )

    def step(y, v):
        return exclude(y, v, denominator, eps, strength)

    result = attention.compile("layers")(X, W)
    np.testing.assert_allclose(result, layers(step, step), **TOLERANCE)


def test_raw_denominator(attention):
    attention.convert_attention(denominator="raw")
    result = attention.compile("layers")(X, W)
    np.testing.assert_allclose(result, layers(exclude, exclude), **TOLERANCE)


@pytest.mark.parametrize(
    "chosen, expected",
    [
        ("all", (exclude, exclude)),
        ("last:1", (lambda y, v: y, exclude)),
        ("0", (exclude, lambda y, v: y)),
        (0, (exclude, lambda y, v: y)),
        ([1], (lambda y, v: y, exclude)),
        (range(2), (exclude, exclude)),
        (np.arange(1, 2), (lambda y, v: y, exclude)),
        ("0, 1", (exclude, exclude)),
    ],
)
def test_layers(attention, chosen, expected):
    attention.convert_attention(layers=chosen)
    result = attention.compile("layers")(X, W)
    np.testing.assert_allclose(result, layers(*expected), **TOLERANCE)


def test_arguments_prove_nothing_unless_assumed(attention):
    q, k, v = (random(2, 6, 4, seed=seed) for seed in (3, 4, 5))
    plain, assumed = attention.clone(), attention.clone()
    plain.convert_attention()
    assumed.convert_attention(assume_self=True)
    y = attend(q, k, v)
    np.testing.assert_allclose(plain.compile()(q, k, v), y, **TOLERANCE)
    np.testing.assert_allclose(assumed.compile()(q, k, v), exclude(y, v), **TOLERANCE)


def test_strict_keeps_every_digit():
    division = "%y = arith.divf %x, %t : f32"
    epsilon = "%eps = arith.constant 1.0e-7 : f32\n    %te = arith.addf %t, %eps : f32\n    "
    assert ATTENTION.count(division) == 1
    text = ATTENTION.replace(division, epsilon + division.replace("%t", "%te"))
    converted = xsa.load(text).convert_attention()
    strict = xsa.load(text).convert_attention(strict=True)
    raised = xsa.load(text).raise_attention(strict=True)
    assert str(converted).count("xsa.attention") == 3
    assert "xsa.attention" not in str(strict) + str(raised)
    assert "a constant is added to the sum" in strict.explain().refused[0].reason
    np.testing.assert_allclose(strict.compile("layers")(X, W), layers(), **TOLERANCE)


@pytest.mark.parametrize("name", ["gpt2", "llama", "decoder_layer"])
def test_real_models(models, name):
    with np.load(models / f"{name}.npz") as file:
        recorded = dict(file)
    arguments = [recorded[f"arg{i}"] for i in range(sum(k.startswith("arg") for k in recorded))]
    module = xsa.load(models / f"{name}.mlir")
    converted = module.clone().convert_attention()
    np.testing.assert_allclose(module.compile()(*arguments), recorded["out0"], **TOLERANCE)
    np.testing.assert_allclose(converted.compile()(*arguments), recorded["xsa0"], **TOLERANCE)


# --- What is told about it ----------------------------------------------------------


def test_preview_does_not_change_the_module(attention):
    before = str(attention)
    explanation = attention.explain()
    assert str(attention) == before
    assert explanation.kind == "preview"
    assert len(explanation.attentions) == 3
    assert [a.function for a in explanation.converted] == ["layers", "layers"]
    (left,) = explanation.left_alone
    assert left.function == "main"
    assert "argument" in left.reason


def test_explanation_of_a_conversion(attention):
    explanation = attention.convert_attention(layers=[1]).explain()
    assert explanation.kind == "conversion"
    (converted,) = explanation.converted
    assert converted.operation == "xsa.attention"
    assert converted.exclusive and not converted.was_exclusive
    assert not converted.causal
    assert converted.features == ()
    assert converted.layer == 1
    assert (converted.denominator, converted.eps, converted.strength) == ("l2_clamp", 1e-12, 1.0)
    assert converted.query == converted.value == "tensor<2x6x4xf32>"
    assert converted.location.startswith("<text>:")
    assert converted.reason == ""
    reasons = [a.reason for a in explanation.left_alone if a.function == "layers"]
    assert reasons == ["it is not among the layers that were chosen"]


def test_explanation_of_raising(attention):
    explanation = attention.raise_attention().explain()
    assert explanation.kind == "raising"
    assert len(explanation.left_alone) == 3
    assert {a.reason for a in explanation.attentions} == {""}


def test_a_second_conversion_finds_the_first(attention):
    attention.convert_attention(layers="last:1").convert_attention(strength=0.5)
    explanation = attention.explain()
    (already,) = explanation.already_exclusive
    (converted,) = explanation.converted
    assert (already.strength, converted.strength) == (1.0, 0.5)

    def half(y, v):
        return exclude(y, v, strength=0.5)

    np.testing.assert_allclose(
        attention.compile("layers")(X, W), layers(half, exclude), **TOLERANCE
    )


def test_clones_keep_their_own_explanation(attention):
    attention.convert_attention()
    other = attention.clone()
    assert other.explain() == attention.explain()
    other.raise_attention()
    assert other.explain().kind == "raising"
    assert attention.explain().kind == "conversion"


def test_text_of_an_explanation(models):
    path = models / "decoder_layer.mlir"
    text = str(xsa.load(path).explain())
    head, first, second = text.splitlines()
    assert head == "2 attentions found, 1 would be made exclusive, 1 not exclusive"
    assert first.startswith(f"  0. {path}:")
    assert first.endswith("  made exclusive (l2_clamp, eps 1e-12)")
    assert "  not exclusive: query comes from argument 0, value from argument 1" in second


def test_module_without_attention(matmul):
    explanation = matmul.explain()
    assert explanation.attentions == ()
    assert str(explanation).startswith("0 attentions found")


def test_exclusion_of_the_model_itself():
    explanation = xsa.load("""
#y = affine_map<(t, n) -> (t, n)>
func.func @main(%y: tensor<6x4xf32>, %v: tensor<6x4xf32>) -> tensor<6x4xf32> {
  %init = tensor.empty() : tensor<6x4xf32>
  %z = xsa.exclude {exclusion = #xsa.exclusion<raw, strength = 5.0e-01>, indexing_maps = [#y, #y, #y]}
      ins(%y, %v : tensor<6x4xf32>, tensor<6x4xf32>)
      outs(%init : tensor<6x4xf32>) -> tensor<6x4xf32>
  return %z : tensor<6x4xf32>
}
""").explain()
    (exclusion,) = explanation.attentions
    assert exclusion.operation == "xsa.exclude"
    assert exclusion.was_exclusive
    assert str(exclusion) == "<text>:5:8  exclusive in the model (raw, strength 0.5)"


def test_what_is_not_recognised_has_a_reason():
    explanation = xsa.load("""
func.func @main(%q: tensor<2x6x4xf32>, %kt: tensor<2x4x6xf32>, %v: tensor<2x6x4xf32>)
    -> tensor<2x6x4xf32> {
  %zero = arith.constant 0.0 : f32
  %square = tensor.empty() : tensor<2x6x6xf32>
  %s_init = linalg.fill ins(%zero : f32) outs(%square : tensor<2x6x6xf32>) -> tensor<2x6x6xf32>
  %s = linalg.batch_matmul ins(%q, %kt : tensor<2x6x4xf32>, tensor<2x4x6xf32>)
      outs(%s_init : tensor<2x6x6xf32>) -> tensor<2x6x6xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<2x6x6xf32>)
      outs(%square : tensor<2x6x6xf32>) -> tensor<2x6x6xf32>
  %narrow = tensor.empty() : tensor<2x6x4xf32>
  %y_init = linalg.fill ins(%zero : f32) outs(%narrow : tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
  %y = linalg.batch_matmul ins(%p, %v : tensor<2x6x6xf32>, tensor<2x6x4xf32>)
      outs(%y_init : tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
  return %y : tensor<2x6x4xf32>
}
""").explain()
    assert explanation.attentions == ()
    (refused,) = explanation.refused
    assert refused.operation == "linalg.batch_matmul"
    assert refused.location == "<text>:13:8"
    assert refused.reason.startswith("softmax runs over another axis than the keys")
    assert "1 place not recognised as attention\n  <text>:13:8  left alone: " in str(explanation)


def test_layers_that_do_not_exist_are_a_warning(attention):
    with pytest.warns(UserWarning, match="names 9, but @layers has 2 self attentions"):
        attention.convert_attention(layers=[0, 9])
    assert [a.layer for a in attention.explain().converted] == [0]


# --- What can go wrong -------------------------------------------------------------


@pytest.mark.parametrize(
    "options, error, message",
    [
        ({"layers": "first:2"}, ValueError, "layers: expected 'all', 'last:N', or numbers of "),
        ({"layers": "0} cse{"}, ValueError, "layers: expected"),
        ({"layers": []}, ValueError, "layers: expected"),
        ({"layers": [-1]}, ValueError, "layers: expected"),
        ({"layers": [True]}, ValueError, "layers: expected"),
        ({"layers": 1.5}, ValueError, "layers: expected"),
        ({"denominator": "l1"}, ValueError, "denominator: expected one of l2_clamp, sq_clamp, "),
        ({"eps": -1e-6}, ValueError, "eps: expected a number that is not negative, got -1e-06"),
        ({"eps": float("nan")}, ValueError, "eps: expected a finite number, got nan"),
        ({"eps": "1e-6"}, TypeError, "eps: expected a number, got str"),
        ({"strength": float("inf")}, ValueError, "strength: expected a finite number, got inf"),
        ({"strength": True}, TypeError, "strength: expected a number, got bool"),
        ({"eps": 10**400}, ValueError, "eps: expected a finite number, got inf"),
        ({"strength": -(10**5000)}, ValueError, "strength: expected a finite number, got inf"),
        ({"layers": [10**30]}, ValueError, "layers: expected"),
        ({"layers": "last:99999999999"}, ValueError, "layers: expected"),
        ({"layers": "4294967296"}, ValueError, "layers: expected"),
        ({"assume_self": "no"}, TypeError, "assume_self: expected a bool, got str"),
        ({"strict": 1}, TypeError, "strict: expected a bool, got int"),
    ],
)
def test_wrong_options(attention, options, error, message):
    before = str(attention)
    with pytest.raises(error) as caught:
        attention.convert_attention(**options)
    assert str(caught.value).startswith(message)
    assert str(attention) == before


def test_a_failed_conversion_changes_nothing(attention):
    before = str(attention)
    with pytest.raises(xsa.CompileError, match="eps"):
        attention.convert_attention(denominator="raw", eps=1e-6)
    assert str(attention) == before
    assert attention.explain().kind == "preview"

"""`at-k plan`: what is printed at which width, and what is refused."""

import json

import pytest

import at_k


@pytest.fixture
def pilot(write):
    """Twelve problems with four answers each."""
    correct = [0, 0, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4]
    return write(
        *(
            {
                "id": f"q{i}",
                "answers": ["7"] * c + ["8"] * (4 - c),
                "reference": "7",
                "correct": [1] * c + [0] * (4 - c),
            }
            for i, c in enumerate(correct)
        )
    )


def test_nothing_is_lost(run, pilot):
    samples = [1, 2, 4, 8, 16, 32, 64, 128, 1024]
    words = ("--half-width", 0.05, "--detect", 0.1, "--predict", "8,16")
    done = run("plan", pilot, "--samples", ",".join(map(str, samples)), "--problems", "12,48", *words)
    assert done.exit_code == 0
    found = at_k.plan(pilot, samples=samples, problems=[12, 48], half_width=0.05, detect=0.1)
    printed = " ".join(done.stdout.split())
    for i, n in enumerate(samples):
        assert f"n = {n:,}" in printed
        assert f"{found.half_width[0, i]:.3f}" in printed
        assert f"{found.detectable[1, i]:.3f}" in printed
    assert f"interval of ± 0.05, with n = 4: {found.needed_problems:,}." in printed
    assert f"find a difference of 0.1, with n = 4: {found.needed_to_detect:,} if" in printed
    assert "pass@16_predicted" in printed


def test_a_prediction_stands_alone_unless_the_plan_is_asked_for_too(run, pilot):
    done = run("plan", pilot, "--predict", "8")
    assert done.stdout.startswith("Pilot: 12 problems × 4 samples, pass@1 = ")
    assert "pass@8_predicted" in done.stdout
    assert "problems  " not in done.stdout
    assert "problems  " in run("plan", pilot, "--predict", "8", "--samples", "4").stdout


def test_json(run, pilot):
    words = ("--predict", "8", "--half-width", 0.05, "-k", 2, "--ci", 0.9)
    content = json.loads(run("plan", pilot, "--format", "json", *words).stdout)
    found = at_k.plan(pilot, k=2, half_width=0.05, confidence_level=0.9)
    assert content["key"] == "pass@2"
    assert content["value"] == found.value
    assert content["half_width"] == found.half_width.tolist()
    assert content["needed_problems"] == found.needed_problems
    assert set(content["predicted"]) == {"pass@8_predicted", "target"}
    assert "predicted" not in json.loads(run("plan", pilot, "--format", "json").stdout)


def test_g_pass_at_k(run, pilot):
    done = run("plan", pilot, "-k", 3, "--tau", "2/3")
    assert f"G-Pass@3_2/3 = {at_k.plan(pilot, k=3, tau=2 / 3).value:.3f}" in done.stdout


def test_the_shares_of_the_variance(run, pilot, write):
    found = at_k.plan(pilot)
    share = found.between / (found.between + found.within)
    assert f"{share:.0%} of the variance is between problems" in run("plan", pilot).said
    alike = write(*({"id": i, "correct": [1, 1]} for i in range(20)), name="alike.jsonl")
    done = run("plan", alike)
    assert "of the variance" not in done.stdout
    assert "This pilot cannot tell how much problems vary. Problems with another value than 1: 0 of 20." in done.said
    done = run("plan", alike, "--detect", 0.05, "--half-width", 0.05)
    assert "with n =" not in done.stdout
    content = json.loads(run("plan", alike, "--detect", 0.05, "--format", "json").stdout)
    assert (content["needed_to_detect"], content["stderr"], content["detectable"]) == (None, None, None)


def test_two_pilots(run, pilot, write):
    other = write(*({"id": f"q{i}", "correct": [1] * (i // 4) + [0] * (4 - i // 4)} for i in range(12)), name="b.jsonl")
    found = at_k.plan(pilot, other, detect=0.2)
    done = run("plan", pilot, other, "--detect", 0.2)
    assert all(str(each) in done.said for each in found.describe_assumptions())
    assert str(next(found.list_needs())) in done.said

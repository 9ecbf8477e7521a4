"""Pictures of a measurement: every estimate inside the frame at its place, whatever its size."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from synthetic import case

from audit.site.pictures import WIDTH, agreement_picture, convergence_picture


def measured(estimate: float, half: float = 0.01, claimed: float = 1.0, **more: object) -> dict:
    return {**case(0), "estimate": estimate, "half_width": half, "claimed": claimed, **more}


def estimates(picture: object) -> list[float]:
    return [
        float(x)
        for x in re.findall(r'<circle class="estimate track-0" cx="([\d.]+)"', str(picture))
    ]


@pytest.mark.parametrize("far", [5.0, 1e3, 1e12, -1e30, 1e290])
def test_a_far_miss_is_drawn_where_it_is(far: float) -> None:
    """Nothing is clipped: twice as far is further out, and the axis says that it is logarithmic."""
    picture = agreement_picture([measured(far), measured(far * 2), measured(1.0)])
    near, twice, claimed = estimates(picture)
    assert 0 < twice < WIDTH
    assert abs(twice - claimed) > abs(near - claimed) > 0
    assert "symmetric logarithmic scale" in str(picture)


def test_small_deviations_are_on_a_plain_scale() -> None:
    picture = str(agreement_picture([measured(1.05), measured(0.9)]))
    assert "logarithmic" not in picture
    near, far = estimates(picture)
    assert near > far


def test_what_is_exact_and_right_needs_no_picture() -> None:
    assert agreement_picture([measured(1.0, half=0.0)]) is None
    assert convergence_picture([measured(1.0, looks=[[2048, 1.0, 0.1]])]) is None


def test_pictures_have_title_axes_and_legend() -> None:
    cases = [case(k) for k in range(6)]
    for picture in (agreement_picture(cases), convergence_picture(cases)):
        root = ElementTree.fromstring(str(picture))
        texts = [element.text for element in root.iter() if element.tag == "text"]
        assert texts[0] == root.attrib["aria-label"]
        assert any("(estimate − claim) / |claim|" in (text or "") for text in texts)
        assert {f"point {k}" for k in range(1, 7)} <= set(texts)
        for place in root.iter("text"):
            assert 0 <= float(place.attrib["x"]) <= WIDTH


def test_tracks_differ_by_shape_as_well() -> None:
    picture = str(convergence_picture([case(k) for k in range(4)]))
    corners = {
        (look, len(points.split()))
        for look, points in re.findall(
            r'polygon class="estimate (track-\d)" points="([^"]*)"', picture
        )
    }
    assert corners == {("track-1", 4), ("track-2", 4), ("track-3", 3)}
    assert "<circle" in picture

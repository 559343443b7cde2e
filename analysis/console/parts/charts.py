"""Charts, each with a table of the same numbers below it; readable in the light and the dark theme."""

from collections.abc import Sequence
from typing import Any

from nicegui import ui

from analysis.console.parts.tables import Column, Table
from analysis.console.parts.texts import plain
from analysis.console.view import View

# Colours of medium brightness, which are visible in the light and the dark theme.
BLUE, ORANGE, GREY = "#3f86c9", "#d2782a", "#7b8794"


def bar_chart(
    view: View,
    label: str,
    *,
    names: Sequence[str],
    series: Sequence[tuple[str, str, Sequence[int]]],
    marks: Sequence[tuple[str, float]] = (),
    title: str,
) -> None:
    """Show a bar chart, and its numbers as a table that can be opened.

    Args:
        view: the page.
        label: what the chart shows, for screen readers.
        names: of the places along the axis.
        series: name, colour and heights of the bars; patterns distinguish them too, for the second
            one is striped.
        marks: lines across, as words and a place among the names.
        title: of the first column of the table.
    """
    bars = [_bars(name, color, heights, number) for number, (name, color, heights) in enumerate(series)]
    if marks:
        bars.append(_lines(marks, count=len(names), height=max(max(line[2], default=0) for line in series)))
    axis = {"axisLabel": {"color": GREY}, "axisLine": {"lineStyle": {"color": GREY}}}
    options: dict[str, Any] = {
        "animation": False,
        "grid": {"left": 48, "right": 16, "top": 52, "bottom": 32},
        "legend": {
            "top": 0,
            "bottom": "auto",
            "textStyle": {"color": GREY},
            "data": [line[0] for line in series],
        },
        "tooltip": {"trigger": "axis"},
        "xAxis": [
            {"type": "category", "data": list(names), **axis},
            {"type": "value", "min": 0, "max": len(names), "show": False},
        ],
        "yAxis": {
            "type": "value",
            "minInterval": 1,
            "splitLine": {"lineStyle": {"color": GREY, "opacity": 0.3}},
            **axis,
        },
        "series": bars,
    }
    chart = ui.echart(options).classes("chart").props("role=img")
    chart.props["aria-label"] = label
    with ui.element("details").classes("legend"):
        plain(view.gettext("The numbers as a table"), "summary")
        columns = (Column(title, "word"), *(Column(line[0], "number") for line in series))
        table = Table(label, columns)
        for index, name in enumerate(names):
            with table.row() as row:
                row.cell(name)
                for _name, _color, heights in series:
                    row.cell(f"{heights[index]:,}")


def _bars(name: str, color: str, heights: Sequence[int], number: int) -> dict[str, Any]:
    style: dict[str, Any] = {"color": color}
    if number:
        stripes = {"symbol": "rect", "dashArrayX": [1, 0], "dashArrayY": [2, 3], "rotation": 0.8}
        style["decal"] = {**stripes, "color": "rgba(255,255,255,.55)"}
    return {"type": "bar", "name": name, "data": list(heights), "itemStyle": style, "barMaxWidth": 36}


def _lines(marks: Sequence[tuple[str, float]], *, count: int, height: int) -> dict[str, Any]:
    """Return a series that draws lines across the chart, with one unit of a second axis for each bar."""
    lines = [
        {
            "xAxis": share * count,
            "label": {"formatter": words, "color": GREY, "position": "end", "distance": 4},
            "lineStyle": {"color": ORANGE, "type": "dashed", "width": 2},
        }
        for words, share in marks
    ]
    return {
        "type": "line",
        "xAxisIndex": 1,
        "data": [[0, 0], [count, height]],
        "showSymbol": False,
        "silent": True,
        "lineStyle": {"opacity": 0},
        "tooltip": {"show": False},
        "markLine": {"symbol": "none", "silent": True, "data": lines},
    }

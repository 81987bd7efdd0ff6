"""Mermaid's flowcharts as a table of their arrows: no script draws on these pages.

Of Mermaid's language this knows what the repository's diagrams use: nodes `id[label]`, arrows
`a -- label --> b`, and `subgraph`. Anything else is an error, so that nothing is left out silently.
"""

import dataclasses
import html
import re

_NODE = r'(\w+)(?:\["([^"]*)"\]|\[([^"\]]*)\])?'
_ARROW = re.compile(rf'{_NODE}\s*(?:--\s*(?:"([^"]*)"|([^"]*?))\s*)?-->\s*{_NODE}')
_ALONE = re.compile(_NODE)
_SUBGRAPH = re.compile(r'subgraph\s+\w+\["([^"]*)"\]')
_BREAK = re.compile(r"\s*<br>\s*")


@dataclasses.dataclass(frozen=True)
class Arrow:
    source: str
    what: str
    target: str


@dataclasses.dataclass
class Flowchart:
    """Labels by node, the nodes of each subgraph by its label, and the arrows in their order."""

    labels: dict
    groups: dict
    arrows: list


def parse(text):
    """Raises ValueError for a line that it does not understand."""
    chart, group = Flowchart({}, {}, []), None
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines or not re.fullmatch(r"flowchart (LR|RL|TB|TD|BT)", lines[0]):
        raise ValueError("a diagram begins with 'flowchart LR' or 'flowchart TB'")
    for line in lines[1:]:
        if started := _SUBGRAPH.fullmatch(line):
            group = chart.groups.setdefault(started[1], [])
        elif line == "end":
            group = None
        elif not _add(chart, group, line):
            raise ValueError(f"'{line}' is neither a node, an arrow nor a subgraph")
    return chart


def _add(chart, group, line):
    if arrow := _ARROW.fullmatch(line):
        source, s1, s2, quoted, bare, target, t1, t2 = arrow.groups()
        _name(chart, source, s1 or s2)
        _name(chart, target, t1 or t2)
        chart.arrows.append(Arrow(source, quoted or bare or "", target))
        return True
    if alone := _ALONE.fullmatch(line):
        node, quoted, bare = alone.groups()
        _name(chart, node, quoted or bare)
        if group is not None:
            group.append(node)
        return True
    return False


def _name(chart, node, label):
    if label or node not in chart.labels:
        chart.labels[node] = label or node


def to_html(text):
    chart = parse(text)
    rows = "".join(
        f"<tr><td>{_short(chart, a.source)}</td><td>{html.escape(a.what)} <span aria-hidden=\"true\">"
        f"&#8594;</span></td><td>{_short(chart, a.target)}</td></tr>\n"
        for a in chart.arrows
    )
    return (
        f'<div class="diagram">\n{_described(chart)}<div class="table" role="region" tabindex="0"'
        ' aria-label="Who sends what to whom">\n<table>\n<thead><tr><th>from</th><th>what</th>'
        f"<th>to</th></tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\n</div>\n</div>\n"
    )


def _short(chart, node):
    """The first line of a label is a name, the others describe it. A comma at its end goes on."""
    return html.escape(_split(chart.labels[node])[0])


def _described(chart):
    """The nodes that say more than their name, those of a subgraph below its label."""
    grouped = {node for nodes in chart.groups.values() for node in nodes}
    alone = [node for node in chart.labels if node not in grouped]
    lists = [("", alone)] + list(chart.groups.items())
    return "".join(_list(chart, label, nodes) for label, nodes in lists)


def _list(chart, label, nodes):
    items = "".join(
        f"<li><strong>{html.escape(name)}</strong>: {html.escape(more)}</li>\n"
        for name, more in (_split(chart.labels[node]) for node in nodes)
        if more
    )
    if not items:
        return ""
    heading = f"<p>{html.escape(label)}:</p>\n" if label else ""
    return f"{heading}<ul>\n{items}</ul>\n"


def _split(label):
    lines = [re.sub(r"</?b>", "", part) for part in _BREAK.split(label)]
    names = 1
    while names < len(lines) and lines[names - 1].endswith(","):
        names += 1
    return " ".join(lines[:names]), " ".join(lines[names:])

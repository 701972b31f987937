"""The measurements as a Markdown table and as an SVG plot."""

COLORS = {"xsa": "#2a6f97", "torch": "#e07a5f", "torch, group as rows": "#f2cc8f", "jax": "#81b29a"}


def rate(row: dict, seconds: float) -> float:
    """GF/s, or GB/s where memory is the limit."""
    return (row["bytes_read"] if row["is_decode"] else row["flops"]) / seconds * 1e-9


def limit(row: dict, limits: dict) -> float:
    return limits["gbytes"] if row["is_decode"] else limits["gflops"]


def names(rows: list[dict]) -> list[str]:
    return [n for n in COLORS if any(n in row["seconds"] for row in rows)]


def markdown(rows: list[dict], limits: dict, threads: int) -> str:
    peers = [n for n in names(rows) if n != "xsa"]
    lines = [
        f"Measured with {threads} thread{'s' if threads > 1 else ''}; peak of f32 multiply-adds"
        f" {limits['gflops']:.0f} GF/s, of reading memory {limits['gbytes']:.1f} GB/s, in the same run.",
        "",
        "| case | xsa | of peak | " + " | ".join(f"{p} / xsa" for p in peers) + " |",
        "|---|---|---|" + "---|" * len(peers),
    ]
    for row in rows:
        ours = row["seconds"]["xsa"]
        value = rate(row, ours)
        unit = "GB/s" if row["is_decode"] else "GF/s"
        ratios = [f"{row['seconds'][p] / ours:.2f}x" if p in row["seconds"] else "" for p in peers]
        share = value / limit(row, limits)
        lines.append(
            f"| {row['case']} | {value:.1f} {unit} | {share:.0%} | " + " | ".join(ratios) + " |"
        )
    return "\n".join(lines) + "\n"


def svg(rows: list[dict], limits: dict) -> str:
    """A bar per implementation, as a share of the machine's limit, which is the line at 100 %."""
    shown = names(rows)
    bar, gap, left, width = 11, 14, 270, 560
    height = 60 + sum(bar * len(shown) + gap for _ in rows)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 70}" height="{height}"'
        ' font-family="sans-serif" font-size="11">',
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    x = left
    for name in shown:
        parts.append(f'<rect x="{x}" y="8" width="10" height="10" fill="{COLORS[name]}"/>')
        parts.append(f'<text x="{x + 14}" y="17">{name}</text>')
        x += 30 + 7 * len(name)
    for share in (0, 0.25, 0.5, 0.75, 1.0):
        at = left + width * share
        color = "#c1121f" if share == 1.0 else "#dddddd"
        parts.append(f'<line x1="{at}" y1="28" x2="{at}" y2="{height - 22}" stroke="{color}"/>')
        parts.append(f'<text x="{at}" y="{height - 8}" text-anchor="middle">{share:.0%}</text>')
    y = 34
    for row in rows:
        middle = y + bar * len(shown) / 2 + 4
        parts.append(f'<text x="{left - 8}" y="{middle}" text-anchor="end">{row["case"]}</text>')
        for name in shown:
            if name in row["seconds"]:
                value = rate(row, row["seconds"][name])
                length = min(width * value / limit(row, limits), width * 1.1)
                parts.append(
                    f'<rect x="{left}" y="{y}" width="{length:.1f}" height="{bar - 1}"'
                    f' fill="{COLORS[name]}"/>'
                )
                parts.append(
                    f'<text x="{left + length + 3:.1f}" y="{y + bar - 2}" font-size="9">{value:.0f}</text>'
                )
            y += bar
        y += gap
    parts.append(
        f'<text x="{left + width}" y="26" text-anchor="middle" fill="#c1121f">peak'
        f" ({limits['gflops']:.0f} GF/s; decoding: {limits['gbytes']:.0f} GB/s)</text>"
    )
    parts.append("</svg>")
    return "\n".join(parts) + "\n"

// The lines of a terminal, each with its time, as an SVG that moves by CSS alone.

/** What a terminal calls its colours. */
const colors = /** @type {const} */ ({
  1: "bold",
  2: "dim",
  31: "red",
  32: "green",
  33: "yellow",
  34: "blue",
  35: "purple",
  36: "cyan",
});

const lineHeight = 18;
const charWidth = 7.85;
const margin = 16;
const barHeight = 30;
/** How long the end is shown before it begins again. */
const holdMs = 8_000;

const style = `
  text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #d6deeb; white-space: pre }
  .bold { font-weight: 700 } .dim { fill: #7f8c9a } .red { fill: #ff6b6b } .green { fill: #7ee787 }
  .yellow { fill: #ffd866 } .blue { fill: #79b8ff } .purple { fill: #c792ea } .cyan { fill: #66d9ef }
  .line { opacity: 0 }`;

/**
 * Draws a terminal in which the lines appear at their times, and which rolls up when it is full.
 * @param {readonly { readonly at: number, readonly text: string }[]} lines times in milliseconds
 * @param {{ readonly title: string, readonly command: string, readonly columns: number, readonly rows: number }} look
 * @returns {string}
 */
export function movingPicture(lines, { title, command, columns, rows }) {
  const total = (lines.at(-1)?.at ?? 0) + holdMs;
  const percent = (/** @type {number} */ at) => Number(((100 * at) / total).toFixed(3));
  const width = Math.ceil(columns * charWidth + 2 * margin);
  const height = barHeight + rows * lineHeight + margin;
  const all = [{ at: 0, text: `\x1b[32m$\x1b[39m ${command}` }, ...lines];
  const top = barHeight + lineHeight;
  const last = Math.max(0, all.length - rows);
  // Lines of one moment roll up at once.
  const rolls = new Map(all.slice(rows).map(({ at }, index) => [percent(at), (index + 1) * lineHeight]));
  const rolling = [...rolls].map(([at, by]) => `${at}%{transform:translateY(-${by}px)}`);
  const hidden = (/** @type {number} */ at) => (at === 0 ? "" : `0%{opacity:0}`);
  const rules = all.map(
    ({ at }, index) =>
      `@keyframes l${index}{${hidden(percent(at))}${percent(at)}%,100%{opacity:1}}#l${index}{animation-name:l${index}}`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}">
<title>${escaped(title)}</title>
<style>${style}
  .line, .roll { animation: ${(total / 1_000).toFixed(1)}s step-end infinite }
  .roll { animation-name: roll }
  @keyframes roll{0%{transform:none}${rolling.join("")}}
  ${rules.join("")}
  @media (prefers-reduced-motion: reduce) { .line { animation: none; opacity: 1 } .roll { animation: none; transform: translateY(-${last * lineHeight}px) } }
</style>
<clipPath id="window"><rect y="${barHeight}" width="${width}" height="${height - barHeight}"/></clipPath>
<rect width="${width}" height="${height}" rx="8" fill="#0f1720"/>
<circle cx="18" cy="15" r="5" fill="#ff5f57"/><circle cx="36" cy="15" r="5" fill="#febc2e"/><circle cx="54" cy="15" r="5" fill="#28c840"/>
<g clip-path="url(#window)"><g class="roll">
${all.map(({ text }, index) => `<text class="line" id="l${index}" x="${margin}" y="${top + index * lineHeight}">${spans(text)}</text>`).join("\n")}
</g></g>
</svg>
`;
}

/**
 * A line with the escapes of a terminal as text with classes.
 * @param {string} text
 */
function spans(text) {
  /** @type {string | undefined} */
  let now;
  const parts = text.split(/\x1b\[(\d+)m/);
  return parts
    .map((part, index) => {
      if (index % 2 === 1) {
        now = colors[/** @type {keyof typeof colors} */ (/** @type {unknown} */ (part))];
        return "";
      }
      return part === "" ? "" : now ? `<tspan class="${now}">${escaped(part)}</tspan>` : escaped(part);
    })
    .join("");
}

/** @param {string} text */
const escaped = (text) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

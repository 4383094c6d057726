import { expect, test } from "vitest";
import { movingPicture } from "./moving-picture.mjs";

const look = { title: "a <title>", command: "npm start", columns: 40, rows: 3 };
const lines = [
  { at: 0, text: "one & <two>" },
  { at: 1_000, text: "\x1b[2m 1.0 s\x1b[22m  \x1b[31mred\x1b[39m" },
  { at: 2_000, text: "three" },
];

test("each line appears at its time, in the colours of a terminal, and says what it said", () => {
  const svg = movingPicture(lines, look);
  expect(svg).toContain("<title>a &lt;title&gt;</title>");
  expect(svg).toContain(">one &amp; &lt;two&gt;</text>");
  expect(svg).toContain('<tspan class="dim"> 1.0 s</tspan>  <tspan class="red">red</tspan>');
  // Ten seconds in all: the last line comes at two, and the end is shown for eight.
  const times = [...svg.matchAll(/@keyframes l\d\{(?:0%\{opacity:0\})?([\d.]+)%,100%/g)].map(([, at]) => Number(at));
  expect(times).toEqual([0, 0, 10, 20]);
});

test("what does not fit rolls up, and who wants no motion sees the end", () => {
  const svg = movingPicture(lines, look);
  expect(svg).toContain("20%{transform:translateY(-18px)}");
  expect(svg).toMatch(/prefers-reduced-motion: reduce\) \{ \.line \{ animation: none; opacity: 1 \}/);
});

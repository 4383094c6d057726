import { verdicts } from "../../check.ts";
import { levels } from "../../requirement.ts";

const colors = `
:root {
  --ground: #ffffff; --soft: #f5f6f8; --line: #dfe3e9; --ink: #1b2230; --quiet: #5a6474; --link: #1f5fbf;
  --fail: #b3261e; --error: #7a3fb0; --untestable: #0e6680; --warn: #8a5a00; --pass: #1a7a48; --na: #667085;
  --found-ground: #fdecea; --wanted-ground: #e7f5ec;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #14171c; --soft: #1c2027; --line: #303743; --ink: #e5e8ed; --quiet: #9ca6b4; --link: #8ab4f8;
    --fail: #ff8f82; --error: #c9a5ff; --untestable: #7cc8e6; --warn: #e6b54a; --pass: #62cf97; --na: #929cab;
    --found-ground: #3a1f20; --wanted-ground: #16321f;
  }
}`;

const base = `
* { box-sizing: border-box; }
html { color-scheme: light dark; -webkit-text-size-adjust: 100%; scroll-behavior: smooth; }
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
body { margin: 0 auto; max-width: 66rem; padding: 2.5rem 1.25rem 4rem; background: var(--ground); color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", "Noto Sans", sans-serif; overflow-wrap: anywhere; }
code, pre { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: .86em; }
a { color: var(--link); text-underline-offset: .15em; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: 3px; }
h1, h2, h3, p, ul, dl, dd, figure, fieldset { margin: 0; padding: 0; border: 0; }
ul { list-style: none; }
h1 { font-size: 2rem; line-height: 1.2; letter-spacing: -.01em; }
h2 { font-size: 1.3rem; line-height: 1.3; }
h3 { font-size: 1.05rem; line-height: 1.4; }
summary { cursor: pointer; }
.quiet, .note, .over { color: var(--quiet); }
.count { color: var(--quiet); font-weight: 400; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .88rem; }
th, td { padding: .3rem .7rem .3rem 0; text-align: left; vertical-align: top; }
th { color: var(--quiet); font-weight: 500; }
tbody tr { border-top: 1px solid var(--line); }
pre { margin: .4rem 0 0; padding: .6rem .8rem; background: var(--soft); border-radius: 6px; white-space: pre-wrap;
  overflow-wrap: anywhere; line-height: 1.5; max-height: 32rem; overflow-y: auto; }`;

const head = `
.over { font-size: .85rem; margin-bottom: .35rem; }
.conclusion { margin-top: .6rem; padding-left: .8rem; border-left: 4px solid currentColor; font-size: 1.2rem; font-weight: 600; }
.concerns { margin-top: 1.25rem; padding: .8rem 1rem; border: 2px solid var(--fail); border-radius: 8px; font-weight: 600; }
.concerns p + p { margin-top: .5rem; }
.facts { margin-top: 1.5rem; display: grid; grid-template-columns: repeat(auto-fit, minmax(17rem, 1fr)); gap: .3rem 2rem; font-size: .88rem; }
.facts div { display: flex; gap: .75rem; }
.facts dt { flex: 0 0 5rem; color: var(--quiet); }
.levels { margin-top: 2rem; display: grid; grid-template-columns: repeat(auto-fit, minmax(14rem, 1fr)); gap: 1rem; }
.level { padding: .9rem 1rem; background: var(--soft); border-radius: 8px; }
.level h2 { display: flex; justify-content: space-between; font-size: 1.05rem; }
.level h2 a { color: inherit; text-decoration: none; }
.level .state { font-weight: 500; font-size: .95rem; }
.level p { font-size: .85rem; }
.reason::first-letter { text-transform: uppercase; }
.bar { display: flex; gap: 2px; height: .5rem; margin: .6rem 0 .5rem; border-radius: 4px; overflow: hidden; }
.bar i { min-width: 3px; background: currentColor; }
nav { margin-top: 1.75rem; display: flex; flex-wrap: wrap; gap: .4rem 1.4rem; padding: .7rem 0; border-block: 1px solid var(--line); }
nav a { color: inherit; text-decoration: none; }
nav a:hover { text-decoration: underline; }
nav b { color: var(--quiet); font-weight: 400; }
main > section { margin-top: 2.5rem; }
.note { margin-top: .15rem; }
footer { margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--line); color: var(--quiet); font-size: .85rem; }`;

const card = `
.card { margin-top: 1rem; padding: 1rem 1.15rem 1.1rem; border: 1px solid var(--line); border-left-width: 4px; border-radius: 8px; }
.card, .row, .group { scroll-margin-top: 1rem; }
.card:target, .row:target { box-shadow: 0 0 0 3px color-mix(in srgb, var(--link) 35%, transparent); }
.card > header { display: flex; flex-wrap: wrap; align-items: baseline; gap: .2rem .8rem; font-size: .9rem; }
.card h3 { margin-top: .35rem; }
.card h3::first-letter { text-transform: uppercase; }
.message { margin-top: .3rem; }
.tag { font-weight: 600; }
.clauses { margin-top: .7rem; font-size: .92rem; }
.clauses li { padding: .15rem 0 .15rem .8rem; border-left: 2px solid var(--line); }
.clauses b { font-size: .78rem; letter-spacing: .03em; }
.place { margin-top: .6rem; font-size: .92rem; }
.pair { margin-top: .7rem; display: grid; grid-template-columns: repeat(auto-fit, minmax(min(18rem, 100%), 1fr)); gap: .5rem 1rem; }
.pair dt, .legend { color: var(--quiet); font-size: .85rem; }
.pair pre { margin-top: .15rem; }
.legend { margin-top: .7rem; }
.legend span { margin-right: 1rem; padding: .05rem .35rem; border-radius: 3px; color: var(--ink); }
.wanted { background: var(--wanted-ground); }
.found { background: var(--found-ground); }
.diff { padding-inline: 0; }
.diff span { display: block; padding: 0 .8rem 0 2.1rem; text-indent: -1.3rem; }
.diff .gap { color: var(--quiet); }
.file { margin-top: .6rem; }
.file figcaption { font-size: .85rem; color: var(--quiet); }
.card details { margin-top: .6rem; font-size: .92rem; }
.card summary { color: var(--quiet); }
.calls td:is(:first-child, .quiet) { color: var(--quiet); white-space: nowrap; }
.again { margin-top: .9rem; font-size: .88rem; color: var(--quiet); }
.again code { color: var(--ink); }`;

const timeline = `
.timeline { margin-top: .9rem; }
.timeline figcaption { font-size: .85rem; color: var(--quiet); margin-bottom: .3rem; }
.key { margin-left: .9rem; white-space: nowrap; }
.key::before { content: ""; display: inline-block; width: .8em; height: .8em; margin-right: .35em; border-radius: 2px; vertical-align: -.05em;
  border: 1.2px solid currentColor; background: color-mix(in srgb, currentColor 25%, transparent); }
.key.info::before { border-style: dashed; background: none; }
svg { display: block; width: 100%; height: auto; }
svg text { font: 11px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: var(--quiet); }
svg .op { fill: var(--ink); pointer-events: none; font-size: 10.5px; }
svg line { stroke: var(--line); }
svg rect { stroke-width: 1.2; fill: color-mix(in srgb, var(--bar) 25%, var(--ground)); stroke: var(--bar); }
svg rect.ok { --bar: var(--pass); } svg rect.fail { --bar: var(--warn); }
svg rect.info { --bar: var(--na); stroke-dasharray: 3 2; fill-opacity: .4; }
.key.ok { color: var(--pass); } .key.fail { color: var(--warn); } .key.info { color: var(--na); }
svg rect.suspect { stroke: var(--fail); stroke-width: 2.5; stroke-dasharray: none; }
.key.suspect { color: var(--fail); }
.calls .suspect { background: var(--found-ground); }
svg g:hover rect { fill: color-mix(in srgb, var(--bar) 55%, var(--ground)); }`;

const index = `
.filters { margin-top: .8rem; display: flex; flex-wrap: wrap; gap: .5rem 2rem; font-size: .9rem; }
.filters fieldset { display: flex; flex-wrap: wrap; gap: .3rem 1.1rem; }
.filters label { display: inline-flex; align-items: center; gap: .35rem; }
.filters b { color: var(--quiet); font-weight: 400; }
input { accent-color: var(--link); }
.group { margin-top: 1.4rem; }
.group ul { margin-top: .4rem; }
.row { border-top: 1px solid var(--line); font-size: .92rem; }
.row > a, .row summary { display: grid; grid-template-columns: 1.4rem 10.5rem 1fr auto auto; gap: .1rem .7rem; align-items: baseline; padding: .38rem .3rem;
  color: inherit; text-decoration: none; list-style: none; }
.row summary::-webkit-details-marker { display: none; }
.row > a::after, .row > details > summary::after { content: "↑"; color: var(--quiet); width: .9rem; text-align: center; }
.row > details > summary::after { content: "+"; }
.row > details[open] > summary::after { content: "−"; }
.row > a:hover, .row summary:hover { background: var(--soft); }
.row a .title { text-decoration: underline; text-decoration-color: var(--line); }
.row .quiet { font-size: .85em; }
.sign { text-align: center; font-weight: 700; }
.unproved { padding: .6rem .3rem; border-top: 1px solid var(--line); font-size: .92rem; }
.unproved summary { color: var(--quiet); }
.more { padding: .1rem .3rem 1rem 2.4rem; }
.more details { margin-top: .4rem; }
.more summary { display: list-item; padding: 0; color: var(--quiet); list-style: revert; }`;

const matrix = `
body:has(.matrix) { max-width: 92rem; }
.levels + .signs { margin-top: 1.6rem; }
.who h2, .who h2 .state { display: block; }
.intro { margin-top: .8rem; max-width: 46rem; }
.findings { margin-top: 2.4rem; }
.findings .note { margin-top: .4rem; max-width: 46rem; }
.findings ul { margin-top: .8rem; }
.findings .row summary { grid-template-columns: 6.6rem 9.5rem 1fr auto; }
.signs span { margin-right: .9rem; white-space: nowrap; }
.signs .sign { margin-right: .15rem; }
.matrix { margin-top: 1.2rem; max-height: 85vh; overflow: auto; border: 1px solid var(--line); border-radius: 8px; }
.matrix table { min-width: 100%; border-collapse: separate; border-spacing: 0; }
.matrix tbody tr { border: 0; }
.matrix th, .matrix td { padding: .45rem .8rem; border-bottom: 1px solid var(--line); }
.matrix thead th { position: sticky; top: 0; z-index: 2; min-width: 7.4rem; background: var(--soft); font-size: .82rem; vertical-align: bottom; }
.matrix thead b { display: block; font-size: .92rem; font-weight: 600; color: var(--ink); }
.matrix tbody th { position: sticky; left: 0; z-index: 1; width: 100%; background: var(--ground); color: inherit; }
.matrix thead th:first-child { left: 0; z-index: 3; vertical-align: bottom; border-right: 1px solid var(--line); }
.matrix tbody th { border-right: 1px solid var(--line); }
.matrix .clause { display: block; min-width: 18rem; }
.matrix td { white-space: nowrap; }
.matrix td a { color: inherit; text-decoration: none; }
.matrix td a:hover { text-decoration: underline; }`;

const narrow = `
@media (max-width: 40rem) {
  body { padding: 1.5rem .9rem 3rem; }
  h1 { font-size: 1.55rem; }
  .facts { grid-template-columns: 1fr; }
  .levels { grid-template-columns: 1fr; gap: .6rem; }
  .card { padding: .85rem .85rem 1rem; }
  .row > a, .row summary { grid-template-columns: 1.4rem 1fr auto auto; }
  .findings .row summary { grid-template-columns: 6.6rem 1fr auto; }
  .row .title { grid-column: 2 / -1; grid-row: 2; }
  .findings .row .title { grid-column: 1 / -1; }
  .matrix thead th { min-width: 6.8rem; }
  .unproved { padding: .6rem .3rem; border-top: 1px solid var(--line); font-size: .92rem; }
.unproved summary { color: var(--quiet); }
.more { padding-left: .3rem; }
  .matrix th, .matrix td { padding: .4rem .5rem; }
  .matrix .clause { min-width: 9.5rem; font-size: .8rem; line-height: 1.35; }
}`;

const print = `
@media print {
  body { max-width: none; padding: 0; font-size: 10pt; }
  .filters, nav { display: none; }
  .card, .level, figure, tr { break-inside: avoid; }
  pre, .matrix { max-height: none; overflow: visible; }
  svg { min-width: 0 !important; }
  .matrix th { position: static; }
}`;

const keys = [...verdicts, ...levels, "missed", "kept"];

/** What a box of `filters` hides while it is not ticked, and the colour of a verdict. */
const generated = [
  ...keys.map(
    (key) => `body:has([data-show="${key}"]:not(:checked)) :is(li.row, .group, tbody tr).${key} { display: none; }`,
  ),
  ...verdicts.map((key) => `:is(.tag, .sign, .state, .conclusion, .bar i).${key} { color: var(--${key}); }`),
  ...verdicts.map((key) => `.card.${key} { border-left-color: var(--${key}); }`),
].join("\n");

/**
 * The look of every page: calm, on paper and at night, without a font or a picture from elsewhere.
 */
export const style = [colors, base, head, card, timeline, index, matrix, narrow, print, generated].join("\n");

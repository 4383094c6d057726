import fc from "fast-check";
import { expect, test } from "vitest";
import { shellTexts } from "../../../test/shell-texts.ts";
import { type Trace, traceAll, tracedNames } from "../../../test/traced-bash.ts";
import { type Part, partsOf } from "./part.ts";
import { isKnown, type Word } from "./script.ts";

/** A quarter of the texts of the fuzz; `npm run test:fuzz` tries half a million. */
const count = Math.ceil(Number(process.env["TROUPE_FUZZ"] ?? 20_000) / 4);
const seed = Number(process.env["TROUPE_FUZZ_SEED"] ?? 12);

const place = { cwd: "/p", home: "/proc/nowhere" };
const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");

/** The words that a word can become, each with its end. */
function becomes(word: Word): string {
  const isMany = word.isGlob || word.holes.some(({ isQuoted, variable }) => !isQuoted || variable === "@");
  if (isMany) return "(?:[^\\x00]*\\x00)*";
  let at = 0;
  let pattern = "";
  for (const { from, to } of word.holes) {
    pattern += `${escaped(word.text.slice(at, from))}[^\\x00]*`;
    at = to;
  }
  pattern += escaped(word.text.slice(at));
  return `${/^~(?:\/|$)/.test(word.raw) ? pattern.replace("~", place.home) : pattern}\\x00`;
}

const patternOf = ({ words }: Part): RegExp => new RegExp(`^${words.map(becomes).join("")}$`, "s");
const lineOf = (words: readonly string[]): string => words.map((word) => `${word}\0`).join("");
const isFile = (word: Word, name: string): boolean => new RegExp(`^${becomes(word)}$`, "s").test(`${name}\0`);

/** Reads of a real bash that the reader has not, or the other way round. */
function differences(text: string, trace: Trace): readonly string[] {
  const { parts, doubts, isBroken } = partsOf(text, place);
  if (isBroken) return [];
  const patterns = parts.map(patternOf);
  const lines = trace.commands.map(lineOf);
  const redirects = parts.flatMap((part) => part.redirects);
  const targets = redirects.map(({ target }) => target);
  const written = redirects.filter(({ kind }) => kind === "write").map(({ target }) => target);
  // Of a program that is not there, and of a directory to write to, the shell says the same as of a
  // file to read.
  const opened = [...targets, ...parts.flatMap(({ words }) => words.slice(0, 1))];
  const found = [
    ...lines.filter((line) => !patterns.some((pattern) => pattern.test(line))).map((line) => `ran ${line}`),
    ...trace.written.filter((name) => !written.some((word) => isFile(word, name))).map((name) => `wrote ${name}`),
    ...trace.missed.filter((name) => !opened.some((word) => isFile(word, name))).map((name) => `opened ${name}`),
  ];
  const isPlain =
    !/[!&|]|\[\$/.test(text) && targets.every((word) => isKnown(word) && /^(?:in|o|o p|o q)$/.test(word.text));
  if (doubts.length > 0 || trace.isWrong || trace.missed.length > 0 || !isPlain) return found;
  parts.forEach((part, at) => {
    const name = part.words[0] && isKnown(part.words[0]) ? part.words[0].text : "";
    if (!(tracedNames as readonly string[]).includes(name)) return;
    if (!lines.some((line) => patterns[at]?.test(line))) found.push(`did not run ${name}`);
    const [fed, ...more] = part.fed;
    if (name !== "feed" || !fed || !isKnown(fed) || more.length + part.redirects.length > 0) return;
    if (!trace.fed.some((one) => one === fed.text || one === `${fed.text}\n`)) found.push(`fed ${fed.text}`);
  });
  return found;
}

/** Some of one seed that the reader takes for commands. */
function textsOf(from: number, most: number): readonly string[] {
  const runs = { numRuns: Math.ceil(1.5 * most), seed: from };
  const made = ([0, 1] as const).flatMap((hard) => fc.sample(shellTexts(tracedNames, hard), runs));
  return [...new Set(made)].filter((text) => !partsOf(text, place).isBroken).slice(0, most);
}

test(`of ${count} generated texts, a real bash runs no command and opens no file that the reader does not list, and with the same words (seed ${seed})`, {
  timeout: 6 * 3_600_000,
}, () => {
  const found: string[] = [];
  let [tried, certain, commands] = [0, 0, 0];
  for (let from = seed; tried < count && found.length < 20; from += 1) {
    const texts = textsOf(from, Math.min(count - tried, 5_000));
    const traces = traceAll(texts);
    expect(traces.length).toBe(texts.length);
    texts.forEach((text, at) => {
      const trace = traces[at];
      if (!trace) return;
      const all = differences(text, trace);
      if (all.length > 0) found.push(`${JSON.stringify(text)}: ${all.join("; ")}`);
      if (partsOf(text, place).doubts.length === 0) certain += 1;
      commands += trace.commands.length;
    });
    tried += texts.length;
  }
  expect(found).toEqual([]);
  expect(certain).toBeGreaterThan(count / 5);
  expect(commands).toBeGreaterThan(2 * count);
});

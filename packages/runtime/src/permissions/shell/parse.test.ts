import fc from "fast-check";
import { expect, test } from "vitest";
import { parseShell } from "./parse.ts";
import { type Part, partsOf } from "./part.ts";

const place = { cwd: "/p", home: "/h" };
const shown = ({ words, redirects }: Part) =>
  [
    ...words.map(({ text }) => text),
    ...redirects.map(({ kind, target }) => `${kind === "read" ? "<" : ">"}${target.text}`),
  ].join(" ");
const commands = (text: string) => partsOf(text, place).parts.map(shown);

test("every command of a text is found, each once, in the order in which they run", () => {
  expect(commands("a && b || c; d | e & f\ng")).toEqual(["a", "b", "c", "d", "e", "f", "g"]);
  expect(commands('a "$(b `c`)" <(d) x')).toEqual(["c", "b `c`", "d", "a $(b `c`) <(d) x"]);
  expect(commands("a <<E >out\n$(b)\nE\nc")).toEqual(["b", "a >out", "c"].toSorted((x) => (x === "a >out" ? -1 : 0)));
  expect(commands("timeout 5 env A=b nice c d")).toEqual([
    "timeout 5 env A=b nice c d",
    "env A=b nice c d",
    "nice c d",
    "c d",
  ]);
});

test("words are what the shell makes of quotes, and what it makes later is marked", () => {
  const [part] = partsOf(`'a b' "c\\"d" e\\ f g$h "*" i* $'j'`, place).parts;
  expect(part?.words.map(({ text, known, isGlob }) => [text, known, isGlob])).toEqual([
    ["a b", 3, false],
    ['c"d', 3, false],
    ["e f", 3, false],
    ["g$h", 1, false],
    ["*", 1, false],
    ["i*", 2, true],
    ["$'j'", 0, false],
  ]);
});

test("files that the shell opens are found by every sign that opens one, and copies of descriptors are none", () => {
  expect(commands("a >b 2>>c >|d &>e <f <>g >&h 3<i {fd}>j 2>&1 >&- <&3 &>>k")).toEqual([
    "a >b >c >d >e <f <g >g >h <i >j >k",
  ]);
});

test("a here-document is fed to its command and cut where it ends", () => {
  const [part, next] = partsOf("cat <<-'E' <<F\n\tone; two\n\tE\nthree\nF\nfour", place).parts;
  expect(part?.fed.map(({ text }) => text)).toEqual(["one; two", "three"]);
  expect(next && shown(next)).toBe("four");
});

test("after cd, a command can stand where it led and, if cd can have failed, where it stood before", () => {
  const cwds = (text: string) => partsOf(text, place).parts.at(-1)?.cwds;
  expect(cwds("cd a && b")).toEqual(["/p/a"]);
  expect(cwds("cd a && cd b && c")).toEqual(["/p/a/b"]);
  expect(cwds("cd a; b")).toEqual(["/p/a", "/p"]);
  expect(cwds("cd a && b; c")).toEqual(["/p/a", "/p"]);
  expect(cwds("(cd a && b); c")).toEqual(["/p"]);
  expect(cwds("cd && a")).toEqual(["/h"]);
  for (const text of ["cd $x && a", "cd - && a", "pushd a && b", "eval cd a; b", "cd a b; c"])
    expect(cwds(text)).toBeUndefined();
});

test("no text makes it throw or takes long, and whatever it reads can be cut again to the same commands", () => {
  const pieces = fc.constantFrom(
    ..."; & | ( ) $( ` ' \" \\ < > << <<E E { } $ ${ # * ~ = ! [[ if for do a b 1".split(" "),
    "\n",
    " ",
    "\t",
    "\0",
  );
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.array(pieces, { maxLength: 40 }).map((parts) => parts.join("")),
  );
  fc.assert(
    fc.property(text, (source) => {
      const script = parseShell(source);
      expect(parseShell(source)).toEqual(script);
      expect(partsOf(source, place).isBroken || !script.isBroken).toBe(true);
    }),
    { numRuns: 1_000 },
  );
  for (const [open, close] of ["``", "''", '""', "$''", "()", "{}"].map((pair) => [
    pair.slice(0, -1),
    pair.slice(-1),
  ])) {
    expect(() => partsOf(`a ${open}${"b".repeat(90_000)}${close}`, place)).not.toThrow();
  }
  for (const text of ["cd a;", "for a b ", "sudo -x ", "parallel a ", "bash -c a;"]) {
    expect(() => partsOf(text.repeat(10_000), place)).not.toThrow();
  }
  for (const sign of ["(", "$(", "`", '"$(', "${", "<(", "a <<E\n", "eval '"]) {
    expect(partsOf(sign.repeat(5_001), place).doubts.length, sign).toBeGreaterThan(0);
  }
});

import { shellSigns } from "./shell-texts.ts";

/** Numbers that look random from a seed, from 0 up to 1. */
export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Ways to put one text or two into another. */
const frames: readonly ((one: string, other: string) => string)[] = [
  (one, other) => `${one}; ${other}`,
  (one, other) => `${one} && ${other}`,
  (one, other) => `${one} || ${other}`,
  (one, other) => `${one} | ${other}`,
  (one, other) => `${one} & ${other}`,
  (one, other) => `${one}\n${other}`,
  (one, other) => `${one} # ${other}`,
  (one, other) => `${one} $(${other})`,
  (one, other) => `${one} "$(${other})"`,
  (one, other) => `${one} \`${other}\``,
  (one, other) => `${one} <(${other})`,
  (one, other) => `${one} '${other}'`,
  (one, other) => `${one} <<E\n${other}\nE`,
  (one, other) => `${one} <<'E'\n${other}\nE`,
  (one, other) => `${one} <<< "${other}"`,
  (one, other) => `${one} | xargs ${other}`,
  (one, other) => `if ${one}; then ${other}; fi`,
  (one, other) => `for f in ${one}; do ${other}; done`,
  (one, other) => `find . -name '*.md' -exec ${one} {} \\; ; ${other}`,
  (one, other) => `x='${one}'; ${other} $x`,
  (one, other) => `x=$(${one}); ${other} "$x"`,
  (one, other) => `f() { ${one}; }; ${other}`,
  (one) => `{ ${one}; }`,
  (one) => `(${one})`,
  (one) => `! ${one}`,
  (one) => `time ${one}`,
  (one) => `cd src && ${one}`,
  (one) => `cd docs; ${one}`,
  (one) => `timeout 5 ${one}`,
  (one) => `env ${one}`,
  (one) => `command ${one}`,
  (one) => `eval ${one}`,
  (one) => `LC_ALL=C ${one}`,
  (one) => `echo ${one}`,
  (one) => `cat ${one}`,
  (one) => `ls ${one}`,
  (one) => `grep ${one}`,
  (one) => `git ${one}`,
  (one) => `git log ${one}`,
  (one) => `find . ${one}`,
  (one) => `sort ${one}`,
  (one) => `[ ${one} ]`,
  (one) => `[[ ${one} ]]`,
];

/**
 * Makes texts of those of a corpus: changed, joined, put into each other, taken apart into words,
 * and whole scripts of them.
 */
export function fuzzer(corpus: readonly string[], next: () => number): () => string {
  const words = [...new Set(corpus.flatMap((text) => text.split(/[ \n]+/)))];
  const upTo = (count: number): number => Math.floor(next() * count);
  const oneOf = <T>(all: readonly T[]): T => all[upTo(all.length)] as T;

  return () => {
    const kind = next();
    if (kind < 0.3) return changed(oneOf(corpus));
    if (kind < 0.45) return reworded(oneOf(corpus));
    if (kind < 0.7) return oneOf(frames)(maybe(oneOf(corpus)), maybe(oneOf(corpus)));
    if (kind < 0.8) return oneOf(frames)(oneOf(frames)(oneOf(corpus), oneOf(corpus)), changed(oneOf(corpus)));
    if (kind < 0.93)
      return [oneOf(corpus).split(" ")[0], ...Array.from({ length: 1 + upTo(4) }, () => oneOf(words))].join(" ");
    return Array.from({ length: 3 + upTo(8) }, () => maybe(oneOf(corpus))).join("\n");
  };

  function maybe(text: string): string {
    return next() < 0.3 ? changed(text) : text;
  }

  function changed(text: string): string {
    let now = text;
    for (let count = 1 + upTo(3); count > 0; count -= 1) {
      const at = upTo(now.length + 1);
      const piece = next() < 0.8 ? oneOf(shellSigns) : oneOf(words);
      now = now.slice(0, at) + (next() < 0.75 ? piece : "") + now.slice(at + (next() < 0.4 ? 1 : 0));
    }
    return now;
  }

  /** A word is taken out, doubled, or another one comes in its place. */
  function reworded(text: string): string {
    const now = text.split(" ");
    const gone = upTo(2);
    now.splice(upTo(now.length + 1), gone, ...(gone === 0 || next() < 0.7 ? [oneOf(words)] : []));
    return now.join(" ");
  }
}

import { ruleOn } from "./judge-path.ts";
import { isMessage } from "./lines.ts";
import { keepsToTracked, opensHere, opensNothing, removesWhole, takesAll } from "./open.ts";
import { absolute, programOf, type Use, type Uses } from "./part-use.ts";
import { cwdsOf, isFedCode, piecesOf } from "./pieces.ts";
import { follow, isDirectory, placesOf } from "./place.ts";
import type { Rule } from "./rule.ts";
import { type Ground, hidden, type Ruling, ruled } from "./ruling.ts";
import { startsOf } from "./shell/find.ts";
import type { Part } from "./shell/part.ts";
import { isTracked, repositoryOf } from "./shell/repository.ts";
import type { Word } from "./shell/script.ts";

type Access = "read" | "write";

/** So many words of a command are looked at; where there are more, they may be any. */
const mostWords = 200;

/** The outcome of rules about files, all of one behavior, for a part of a command. */
export function forbiddenPlaces(ground: Ground, part: Part, rules: readonly Rule[], uses: Uses): readonly Ruling[] {
  const found: Ruling[] = [];
  const reads = uses.reads(part);
  const moved = reads ? part : { ...part, cwds: cwdsOf(part, uses) };
  for (const { kind, target } of part.redirects) onWord(target, [kind]);
  if (reads) for (const use of reads) onRead(use);
  else if (!opensNothing(part)) {
    // Any word of another program may be a file, which it may also write.
    const words = part.words.filter((_, at) => at > 0 && !isMessage(part.words, at));
    for (const word of words.slice(0, mostWords)) onWord(word, ["read", "write"]);
    if (words.length + part.assignments.length > mostWords) mayBe(["read", "write"]);
    for (const word of part.assignments.slice(0, mostWords)) onPieces(word, ["read", "write"]);
    if (isFedCode(part)) for (const word of part.fed) onPieces(word, ["read", "write"]);
    const { read, write } = opensHere(part);
    const isRepository = programOf(part) === "git";
    for (const cwd of moved.cwds ?? []) {
      const isHere = programOf(part) !== "find" || startsOf(part.words.slice(1)).length === 0;
      if (read && isHere) onBelow({ path: cwd, isTrackedOnly: keepsToTracked(part), isRepository }, ["read"], false);
      if (write && isHere) onBelow({ path: cwd, isRepository }, ["write"], false);
    }
  }
  return found;

  function onRead(use: Use): void {
    onPath(use.path, ["read"], true);
    if (use.walks) onBelow(use, ["read"], true);
  }

  function onWord(word: Word, accesses: readonly Access[]): void {
    const paths = uses.paths(moved, word);
    if (!paths) {
      mayBe(accesses);
      return;
    }
    for (const use of paths) {
      onPath(use.path, accesses, true);
      onDirectory(use.path, accesses, removesWhole(part));
    }
    onPieces(word, accesses);
  }

  /**
   * The text of a word between the signs by which programs cut words; behind the first of them it
   * is a file for sure.
   */
  function onPieces(word: Word, accesses: readonly Access[]): void {
    const { attached, pieces, isMore, isPlain } = piecesOf(part, word);
    const isSure = part.words.includes(word);
    if (isMore) mayBe(accesses);
    for (const cwd of moved.cwds ?? [ground.cwd]) {
      if (attached !== undefined) onPath(absolute(attached, cwd), accesses, isSure);
      for (const piece of pieces) {
        onPath(absolute(piece, cwd), accesses, false);
        if (isPlain) onDirectory(absolute(piece, cwd), accesses, false);
      }
    }
    // It has patterns and escapes of its own.
    if (programOf(part) === "curl" && /[{[%]/.test(word.text)) mayBe(accesses);
  }

  /** Whatever is told a directory may do the same to everything in it. */
  function onDirectory(path: string | undefined, accesses: readonly Access[], isSure: boolean): void {
    if (path === undefined || !isDirectory(path)) return;
    const takes = takesAll(part);
    onBelow(
      { path },
      accesses.filter((access) => takes[access]),
      isSure,
    );
  }

  function onPath(path: string | undefined, accesses: readonly Access[], isSure: boolean): void {
    if (path === undefined) {
      mayBe(accesses);
      return;
    }
    for (const rule of rules) {
      const access = accesses.find((one) => one === rule.access);
      if (access && ruleOn({ ...ground, rules: [rule] }, rule.behavior as "ask" | "deny", { access, path }))
        found.push(isSure ? ruled(rule) : hidden(rule));
    }
    if (!placesOf(path) && !/^\/dev\/(?:null|stdin|stdout|stderr|tty)$/.test(path)) mayBe(accesses);
  }

  function onBelow(use: Use, accesses: readonly Access[], isSure: boolean): void {
    if (use.path === undefined) return;
    const { isTrackedOnly = false, isRepository = false } = use;
    const path = (isRepository && repositoryOf(use.path)) || use.path;
    for (const rule of rules.filter(({ access }) => accesses.some((one) => one === access))) {
      const isMeant = (place: string) => (rule.isPlace?.(place) ?? false) && (!isTrackedOnly || isTracked(place));
      const entries = uses.below(path);
      const some = entries?.some((entry) => isMeant(entry.path) || (entry.isLink && isMeant(follow(entry.path) ?? "")));
      if (some !== false) found.push(some && isSure ? ruled(rule) : hidden(rule));
    }
  }

  function mayBe(accesses: readonly Access[]): void {
    const rule = rules.find(({ access }) => accesses.some((one) => one === access));
    if (rule) found.push(hidden(rule));
  }
}

import { isAbsolute } from "node:path";
import { type KnownPermissionUpdate, parseToolRule } from "@troupe/protocol";
import { allowed, allowing, type Finding, type Ground, ruled, strictest } from "./finding.ts";
import { judgePath, ruleOn } from "./judge-path.ts";
import { expandGlob, isBelow, placesOf } from "./place.ts";
import { type Rule, speaksOf } from "./rule.ts";
import {
  isHarmlessAssignment,
  lineOf,
  linesToAllow,
  linesToForbid,
  type Part,
  partsOf,
  pathsFrom,
  pathText,
} from "./shell/part.ts";
import { filesChanged, filesRead, filesRemoved } from "./shell/reading.ts";
import { isKnown, type Word } from "./shell/script.ts";

/** What a shell command comes to: forbidden if any of its parts is, allowed only if every part is and nothing in it is in doubt. */
export function judgeCommand(ground: Ground, tool: string, text: string): Finding {
  const { parts, doubts, isBroken } = partsOf(text, ground);
  const strict = forbidden();
  const rules = ground.rules.filter((rule) => rule.behavior === "allow" && speaksOf(rule, tool));
  const isPlan = ground.mode === "plan";
  const whole = rules.find(
    (rule) => rule.isWhole || (tool === toolOf(rule) && rule.tool.kind === "tool" && rule.tool.argument === text),
  );
  if (whole && !isPlan) return strict ?? allowed(`allowed by the rule ${whole.text} (${whole.source})`, whole);
  const asked = strict ? [strict] : [];
  const findings = parts.flatMap((part) => [
    ...part.redirects.map((redirect) => opened(part, redirect.kind, redirect.target)),
    covered(part),
  ]);
  if (doubts.length > 0)
    findings.push({ behavior: isPlan ? "deny" : "ask", reason: `the command cannot be judged: ${doubts.join("; ")}` });
  return strictest([...asked, ...findings]);

  /** What the rules that deny and ask say, and what they would say if the text hid nothing. */
  function forbidden(): Finding | undefined {
    const found: Finding[] = [];
    for (const behavior of ["deny", "ask"] as const) {
      const ofCommands = ground.rules.filter((rule) => rule.behavior === behavior && rule.command);
      for (const part of parts) {
        const lines = linesToForbid(part);
        const hit = ofCommands.find(({ command }) => lines.some((line) => command?.fits(line)));
        const path = hit ?? onPath(part, behavior);
        if (path) found.push(ruled(path));
        const possible = ofCommands.find(({ command }) => lines.some((line) => command?.mayFit(line)));
        if (possible) found.push(hidden(possible));
      }
      const [any] = ofCommands;
      if (any && isBroken) found.push(hidden(any));
    }
    if (parts.some((part) => filesRemoved(part).some((word) => isVital(part, word)))) {
      found.push({ behavior: "ask", reason: "it removes a directory that everything else lies in", holds: true });
    }
    return found.length > 0 ? strictest(found) : undefined;
  }

  /** Any word of a command may be a file; those of a program that only reads are not written. */
  function onPath(part: Part, behavior: "ask" | "deny"): Rule | undefined {
    if (!ground.rules.some((one) => one.behavior === behavior && one.isPlace)) return undefined;
    const rule = (access: "read" | "write", word: Word) => {
      for (const path of wordPaths(part, word, true) ?? []) {
        const found = ruleOn(ground, behavior, { access, path });
        if (found) return found;
      }
      return undefined;
    };
    const isReader = filesRead(part, ground.cwd) !== undefined;
    for (const { kind, target } of part.redirects) {
      const hit = rule(kind, target);
      if (hit) return hit;
    }
    for (const word of part.words.slice(1)) {
      const hit = rule("read", word) ?? (isReader ? undefined : rule("write", word));
      if (hit) return hit;
    }
    return undefined;
  }

  function isVital(part: Part, word: Word): boolean {
    const paths = wordPaths(part, word) ?? [];
    const vital = [ground.home, ...ground.roots];
    return paths
      .flatMap((path) => placesOf(path) ?? [])
      .some((place) => vital.some((directory) => isBelow(directory, place)));
  }

  /** What running one part comes to, apart from the files its redirections open. */
  function covered(part: Part): Finding {
    if (
      part.words.length === 0 &&
      part.assignments.every(({ raw }) => /^[a-z][a-z0-9_]*=/.test(raw) && !/_proxy=/.test(raw))
    ) {
      return allowed("it sets variables of the shell");
    }
    const reads = filesRead(part, ground.cwd);
    const isBare = part.assignments.every(isHarmlessAssignment);
    if (isBare && part.isTransparent) return allowed("what it runs is judged by itself");
    const lines = linesToAllow(part);
    const rule = rules.find(({ command }) => lines.some((line) => command?.fits(line)));
    if (rule && !isPlan) return allowed(`allowed by the rule ${rule.text} (${rule.source})`, rule);
    if (isBare && reads) return strictest(reads.map((word) => opened(part, "read", word)));
    const line = lineOf([...part.assignments, ...part.words]).text;
    if (isPlan)
      return {
        behavior: "deny",
        reason: `in plan mode only commands that read are run, and this may do more: ${line}`,
      };
    const changes = isBare ? filesChanged(part) : undefined;
    const finding = changes && strictest(changes.map((word) => opened(part, "write", word)));
    return finding ?? { behavior: "ask", reason: `no rule allows ${line}`, suggestions: suggested(part) };
  }

  function opened(part: Part, access: "read" | "write", word: Word): Finding {
    if (isKnown(word) && /^\/dev\/(?:null|stdin|stdout|stderr)$/.test(word.text)) return allowed("it is no file");
    const paths = wordPaths(part, word);
    if (!paths) return { behavior: "ask", reason: `which file ${word.raw} is cannot be told beforehand` };
    const isDirectory = part.words[0]?.text === "mkdir" || part.words[0]?.text === "ls";
    return strictest(paths.map((path) => judgePath(ground, { access, path, isDirectory })));
  }

  /** The absolute paths a word may stand for; `isWide` also takes what stands behind `=` and `@`. */
  function wordPaths(part: Part, word: Word, isWide = false): readonly string[] | undefined {
    const written = pathText(word, ground.home);
    if (written === undefined) return undefined;
    const attached = isWide ? /^(?:-[A-Za-z]|[^=@]*[=@])(.+)$/s.exec(written)?.[1] : undefined;
    const texts = attached === undefined ? [written] : [written, attached];
    const paths: string[] = [];
    for (const one of texts) {
      const from = pathsFrom(isWide && !isAbsolute(one) ? (part.cwds ?? [ground.cwd]) : part.cwds, one);
      if (!from) return undefined;
      for (const path of from) {
        const matches = word.isGlob ? expandGlob(path) : [path];
        if (!matches) return undefined;
        paths.push(...(matches.length > 0 ? matches : [path]));
      }
    }
    return paths;
  }

  function suggested(part: Part): readonly KnownPermissionUpdate[] {
    if (doubts.length > 0 || part.words.some((word) => !isKnown(word)) || part.assignments.length > 0) return [];
    const content = lineOf(part.words).text.replaceAll("*", "\\*");
    return parseToolRule(`${tool}(${content})`).rule ? [allowing(tool, content)] : [];
  }
}

const toolOf = (rule: Rule | undefined): string | undefined =>
  rule?.tool.kind === "tool" ? rule.tool.name : undefined;

const hidden = (rule: Rule): Finding => ({
  behavior: "ask",
  reason: `it hides a part that the rule ${rule.text} (${rule.source}) could be about`,
  rule,
  holds: true,
});

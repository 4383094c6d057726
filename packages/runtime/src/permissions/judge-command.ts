import { lstatSync } from "node:fs";
import { resolve } from "node:path";
import { type KnownPermissionUpdate, parseToolRule } from "@troupe/protocol";
import { forbiddenBy } from "./forbidden.ts";
import { judgePath } from "./judge-path.ts";
import { isHarmlessAssignment, lineOf, linesToAllow } from "./lines.ts";
import { opensHere } from "./open.ts";
import { programOf, type Use, usesOf } from "./part-use.ts";
import { isDirectory, sensitiveNames } from "./place.ts";
import { type Rule, speaksOf } from "./rule.ts";
import { allowed, allowing, type Ground, type Ruling, strictest } from "./ruling.ts";
import { mayMakeRepository } from "./sensitive.ts";
import { type Part, partsOf } from "./shell/part.ts";
import { isSameRepository } from "./shell/repository.ts";
import { isKnown, type Redirect } from "./shell/script.ts";

/**
 * The judgement of a shell command: forbidden if any part is, allowed only if every part is and
 * nothing in it is in doubt.
 */
export function judgeCommand(ground: Ground, tool: string, text: string): Ruling {
  const { parts, doubts, isBroken } = partsOf(text, ground);
  const uses = usesOf({ ...ground, parts });
  const forbidding = forbiddenBy(ground, { parts, isBroken, uses });
  const strict = forbidding.length > 0 ? strictest(forbidding) : undefined;
  const rules = ground.rules.filter((rule) => rule.behavior === "allow" && speaksOf(rule, tool));
  const isPlan = ground.mode === "plan";
  const whole = rules.find(
    (rule) => rule.isWhole || (tool === toolOf(rule) && rule.tool.kind === "tool" && rule.tool.argument === text),
  );
  if (whole && !isPlan) return strict ?? allowed(`allowed by the rule ${whole.text} (${whole.source})`, whole);
  const movers = parts.filter((part) => moves(part));
  const writers = parts.filter((part) => part.redirects.some(isWrite) || !(part.isTransparent || uses.reads(part)));
  const runsGit = parts.some((part) => programOf(part) === "git");
  const rulings = parts.flatMap((part) => [...part.redirects.map((redirect) => opened(part, redirect)), covered(part)]);
  if (doubts.length > 0)
    rulings.push({ behavior: isPlan ? "deny" : "ask", reason: `the command cannot be judged: ${doubts.join("; ")}` });
  return strictest([...(strict ? [strict] : []), ...rulings]);

  /** The outcome of running one part, apart from the files its redirections open. */
  function covered(part: Part): Ruling {
    if (part.words.length === 0 && part.assignments.every(isOwnVariable)) return allowed("it sets shell variables");
    if (part.isTransparent && part.assignments.every(isHarmlessAssignment))
      return allowed("the command it runs is judged separately");
    const lines = linesToAllow(part);
    const rule = rules.find(({ command }) => lines.some((line) => command?.fits(line)));
    const found = rule && !isPlan && programOf(part) === "git" ? foundBy(part) : undefined;
    if (found !== undefined)
      return {
        behavior: "ask",
        reason: `git follows the settings of the repository that it finds in ${found}`,
      };
    if (rule && !isPlan) return allowed(`allowed by the rule ${rule.text} (${rule.source})`, rule);
    const reads = uses.reads(part);
    if (reads) return used(part, "read", reads);
    const line = lineOf([...part.assignments, ...part.words]).text;
    if (isPlan)
      return {
        behavior: "deny",
        reason: `plan mode runs only commands that read, and this may do more: ${line}`,
      };
    const changes = uses.changes(part);
    return changes
      ? used(part, "write", changes)
      : { behavior: "ask", reason: `no rule allows ${line}`, suggestions: suggested(part) };
  }

  /**
   * Where the command goes by itself and git finds what a clone may have brought: who allowed git
   * did not think of that.
   */
  function foundBy({ cwds }: Part): string | undefined {
    if (!cwds) return "a directory that is not known before the command runs";
    return cwds.find((cwd) => resolve(cwd) !== resolve(ground.cwd) && !isSameRepository(cwd, ground.cwd));
  }

  function opened(part: Part, { kind, target }: Redirect): Ruling {
    if (isKnown(target) && /^\/dev\/(?:null|stdin|stdout|stderr)$/.test(target.text))
      return allowed("it is not a file");
    const paths = target.holes.some(({ variable }) => variable === "$") ? undefined : uses.paths(part, target);
    return paths && paths.length > 0 ? used(part, kind, paths) : unclear(target.raw);
  }

  function used(part: Part, access: "read" | "write", found: readonly Use[]): Ruling {
    const isOneOfSeveral = found.length > 0 && movers.some((mover) => mover !== part);
    if (isOneOfSeveral)
      return {
        behavior: "ask",
        reason: "another part of the command moves directories or links, so paths may lead elsewhere",
      };
    if (part.words.some(({ isGlob }) => isGlob) && writers.some((writer) => writer !== part))
      return { behavior: "ask", reason: "another part of the command creates files that its patterns would match" };
    if (access === "write" && runsGit && found.some(({ path = "" }) => mayMakeRepository(path)))
      return {
        behavior: "ask",
        reason: "another part of the command runs git, and this may create a repository for it",
      };
    return strictest(found.flatMap((use) => judged(part, access, use)));
  }

  function judged(part: Part, access: "read" | "write", { path, walks, follows, isFlat }: Use): readonly Ruling[] {
    if (path === undefined) return [unclear("a relative path")];
    if (isFlat && isDirectory(path))
      return [{ behavior: "ask", reason: `${path} is a directory, in which links would be followed` }];
    const own = judgePath(ground, { access, path, isDirectory: /^(?:mkdir|ls)$/.test(programOf(part)) });
    const isRead = access === "read";
    if (!(isRead ? follows : walks) || own.behavior !== "allow") return [own];
    const below = uses.below(path);
    if (!below) return [{ behavior: "ask", reason: `there are too many files below ${path} to check` }];
    if (isRead)
      return [
        own,
        ...below.filter(({ isLink }) => isLink).map((link) => judgePath(ground, { access, path: link.path })),
      ];
    // A folder that is moved or copied comes with everything in it, and one that is written into
    // follows its links.
    const found = below.find(({ name, isLink }) => isLink || sensitiveNames(`/${name}`).length > 0);
    return found ? [{ behavior: "ask", reason: `it includes ${found.path}` }] : [own];
  }

  /**
   * After it, or beside it, a path may lead somewhere else: it makes or moves links and
   * directories.
   */
  function moves(part: Part): boolean {
    const program = programOf(part);
    if (program === "git") return opensHere(part).write && !uses.reads(part);
    if (!moving.has(program)) return false;
    const changes = uses.changes(part);
    return !changes || changes.slice(0, -1).some(({ path }) => path === undefined || !isFile(path));
  }

  function suggested(part: Part): readonly KnownPermissionUpdate[] {
    if (doubts.length > 0 || part.words.some((word) => !isKnown(word)) || part.assignments.length > 0) return [];
    const content = lineOf(part.words).text.replaceAll("*", "\\*");
    return parseToolRule(`${tool}(${content})`).rule ? [allowing(tool, content)] : [];
  }
}

const isWrite = ({ kind, target }: Redirect): boolean => kind === "write" && !target.text.startsWith("/dev/");

const unclear = (what: string): Ruling => ({
  behavior: "ask",
  reason: `it cannot be known beforehand which file ${what} is`,
});

/** A variable of the text itself, which no program looks at. */
const isOwnVariable = ({ raw, holes }: { raw: string; holes: readonly unknown[] }): boolean =>
  /^[a-z][a-z0-9_]*=/.test(raw) && holes.length === 0 && !/_proxy=|^npm_|^pnpm_/.test(raw);

const moving = new Set("ln link mv cp rsync tar bsdtar unzip cpio pax install mount umount patch ditto".split(" "));

function isFile(path: string): boolean {
  try {
    return lstatSync(path).isFile();
  } catch {
    return false;
  }
}

const toolOf = (rule: Rule | undefined): string | undefined =>
  rule?.tool.kind === "tool" ? rule.tool.name : undefined;

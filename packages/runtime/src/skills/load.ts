import { dirname } from "node:path";
import { nameKey, type Revision, TroupeError } from "@troupe/protocol";
import { readFrontMatter } from "@troupe/protocol/agent";
import { bounded } from "../loop/outcome.ts";
import { realOrGiven } from "../real-path.ts";
import type { DefinitionFault } from "../settings/definition-files.ts";
import { replaceWithin, skillCharacters } from "./fill-in.ts";
import { readSkill, type SkillMatter } from "./front-matter.ts";
import type { Skill } from "./skill.ts";
import { type SkillFile, type SkillPlaces, skillFiles, skillFileText } from "./skill-files.ts";

/** Skills that can be called, one a name, in the order of the names. */
export interface LoadedSkills {
  readonly skills: readonly Skill[];
  readonly problems: readonly DefinitionFault[];
}

/**
 * Every skill that can be found: `skills/<name>/SKILL.md` and `commands/**` of the user, the
 * plugins and the project. Of one name the strongest counts, and a skill before a command. What is
 * wrong with a file is told, and hides no other. Nothing is run.
 */
export function loadSkills({ revision, ...places }: SkillPlaces & { readonly revision: Revision }): LoadedSkills {
  const { files, unreadable } = skillFiles(places);
  const problems: DefinitionFault[] = unreadable.map(cannotBeRead);
  const winners = new Map<string, SkillFile & { readonly skill: Skill }>();
  for (const one of files) {
    const read = skillFileText(one.file);
    if ("fault" in read) {
      problems.push(cannotBeRead(read));
      continue;
    }
    const { matter, faults } = readSkill(read.text, revision);
    const told = (message: string, line?: number): void =>
      void problems.push({ file: one.file, ...(line !== undefined && { line }), message });
    for (const { line, message } of faults) told(message, line);
    if (!matter) continue;
    const name = nameOf(one, matter, told);
    if (name === undefined) continue;
    const skill = skillOf(one, { ...matter, name }, places.isTrusted, told);
    const winner = winners.get(nameKey(name));
    if (!winner) winners.set(nameKey(name), { ...one, skill });
    else if (winner.place === one.place || winner.skill.name !== name)
      told(`${name} is not used: ${winner.file} has the same name; rename one of the two`);
  }
  const skills = [...winners.values()].map(({ skill }) => skill);
  return { skills: skills.sort((one, other) => (one.name < other.name ? -1 : 1)), problems };
}

const cannotBeRead = ({ file, fault }: { readonly file: string; readonly fault: string }): DefinitionFault => ({
  file,
  message: `the skill cannot be read: ${fault}; fix or remove it`,
});

/** True for a name that can be typed behind a slash. */
const isName = (name: string): boolean => /^[\p{L}\p{N}_][\p{L}\p{N}_.-]*$/u.test(name);

function nameOf(one: SkillFile, { name }: SkillMatter, told: (message: string) => void): string | undefined {
  const isOwn = !one.isCommand && name !== undefined && isName(name);
  const chosen = isOwn ? name : one.name;
  if (!one.isCommand && name !== undefined && !isOwn)
    told(
      `the name ${JSON.stringify(name.slice(0, 60))} cannot be typed; the skill is called ${chosen}, after its directory`,
    );
  const parts = [...one.namespace, chosen];
  if (parts.slice(one.source === "plugin" ? 1 : 0).every(isName)) return parts.join(":");
  told(`/${parts.join(":")} cannot be typed; use letters, digits, - and _ for its file and directories`);
  return undefined;
}

function skillOf(
  { file, source, plugin, isCommand }: SkillFile,
  { body, description, hooks, ...said }: SkillMatter & { readonly name: string },
  isTrusted: boolean,
  told: (message: string) => void,
): Skill {
  const mayHook = source !== "plugin" && (source !== "project" || isTrusted);
  if (hooks && !mayHook)
    told(
      source === "plugin"
        ? "hooks of a plugin's skill have no effect; copy the skill to .claude/skills if you want them"
        : "hooks have no effect, since this folder is not trusted; read what they would do, and then trust the folder",
    );
  const real = source === "project" && !isTrusted ? realOrGiven(file) : undefined;
  return {
    ...said,
    description: description ?? firstParagraph(body),
    ...(hooks && mayHook && { hooks }),
    async text() {
      if (real !== undefined && realOrGiven(file) !== real)
        throw new TroupeError(
          "document_unreadable",
          `${file} is now a link to another place than when it was found; check it`,
          {
            file,
          },
        );
      const read = skillFileText(file);
      if ("fault" in read)
        throw new TroupeError("document_unreadable", `${file} cannot be read: ${read.fault}; fix it and call again`, {
          file,
        });
      const text = readFrontMatter(read.text, () => undefined).body.trim();
      const parts = [isCommand ? "" : `Base directory for this skill: ${dirname(file)}`, notRun(text), text];
      const whole = parts.filter((part) => part !== "").join("\n\n");
      const placed = replaceWithin(whole, /\$\{CLAUDE_(SKILL_DIR|PLUGIN_ROOT)\}/g, ([found, place]) =>
        place === "SKILL_DIR" ? dirname(file) : (plugin ?? found),
      );
      return bounded(placed, "the skill is too long", skillCharacters);
    },
  };
}

/** Opening a skill runs nothing, or a cloned repository could. */
const notRun = (text: string): string =>
  /(^|\s)!`[^`\n]+`|^```!/m.test(text)
    ? "Commands that this skill marks with ! were not run: you see the commands, not their output. Run what you need yourself."
    : "";

function firstParagraph(body: string): string {
  const paragraphs = body
    .slice(0, 10_000)
    .trim()
    .split(/\n\s*\n/);
  const prose = paragraphs.find((paragraph) => !paragraph.trimStart().startsWith("#")) ?? paragraphs[0] ?? "";
  return prose
    .replace(/^#+\s*/, "")
    .slice(0, 1_000)
    .trim();
}

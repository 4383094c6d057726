import { existsSync, lstatSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { messageOf } from "@troupe/protocol";
import { isWithin, realOrGiven, upToRepository } from "../real-path.ts";
import { definitionFiles, definitionText, type UnreadableFile } from "../settings/definition-files.ts";

/**
 * Sources of skills, the strongest first: a skill that comes with a clone takes the place of
 * nothing.
 */
type SkillSource = "managed" | "user" | "plugin" | "project";

/** Where skills lie. */
export interface SkillPlaces {
  /** The agents' own directory, `~/.claude` for the reference client. */
  readonly root: string;
  /** Where somebody works. */
  readonly cwd: string;
  /** The person has said that the project may run commands. */
  readonly isTrusted: boolean;
  /** Each with its own directory, which holds `skills` and `commands`. */
  readonly plugins?: readonly { readonly name: string; readonly directory: string }[] | undefined;
  /** The skills of this machine's owner, each in a directory. */
  readonly managed?: string | undefined;
}

/** The file of one skill. */
export interface SkillFile {
  readonly file: string;
  readonly source: SkillSource;
  /** The directory of all that were put there together. */
  readonly place: string;
  /** Its default name, after its directory or its file. */
  readonly name: string;
  /** In front of its name: its plugin, and the directories of a command. */
  readonly namespace: readonly string[];
  /** A file of `commands`, which is called after its path and brings no files of its own. */
  readonly isCommand: boolean;
  /** The plugin's directory. */
  readonly plugin?: string;
}

const maxSkills = 1_000;

/** The files of all skills, the strongest first, and what is there and cannot be read. */
export function skillFiles({ root, cwd, isTrusted, plugins = [], managed }: SkillPlaces): {
  readonly files: readonly SkillFile[];
  readonly unreadable: readonly UnreadableFile[];
} {
  const files: SkillFile[] = [];
  const unreadable: UnreadableFile[] = [];
  const own = resolve(cwd, root);
  if (managed !== undefined) look({ source: "managed", place: resolve(cwd, managed), namespace: [] }, ".");
  look({ source: "user", place: own, namespace: [] });
  for (const { name, directory } of plugins) {
    const place = resolve(cwd, directory);
    look({ source: "plugin", place, namespace: [name], plugin: place });
  }
  const above = upToRepository(cwd);
  const top = realOrGiven(above.at(-1) ?? cwd);
  for (const directory of above) {
    const place = join(directory, ".claude");
    // The user's own directory lies below the home directory like a project's; what stands there is
    // the user's word.
    if (realOrGiven(place) !== realOrGiven(own)) look({ source: "project", place, namespace: [] });
  }
  return { files, unreadable };

  function look(where: Pick<SkillFile, "source" | "place" | "namespace" | "plugin">, skills = "skills"): void {
    const found = [...skillsIn(join(where.place, skills)), ...(skills === "." ? [] : commandsIn(where.place))];
    const kept = found.filter(
      ({ file }) => where.source !== "project" || isTrusted || isWithin(realOrGiven(file), top),
    );
    const [outside] = found.filter((one) => !kept.includes(one));
    if (outside) unreadable.push({ file: outside.file, fault: "a link leads out of a project that is not trusted" });
    files.push(...kept.map((one) => ({ ...where, ...one, namespace: [...where.namespace, ...one.namespace] })));
  }

  function skillsIn(directory: string): readonly Pick<SkillFile, "file" | "name" | "namespace" | "isCommand">[] {
    try {
      const names = existsSync(directory) ? readdirSync(directory).sort() : [];
      if (names.length > maxSkills)
        unreadable.push({ file: directory, fault: `of ${names.length} entries only the first ${maxSkills} are read` });
      return names
        .slice(0, maxSkills)
        .map((name) => ({ file: join(directory, name, "SKILL.md"), name, namespace: [], isCommand: false }))
        .filter(({ file }) => isThere(file));
    } catch (error) {
      unreadable.push({ file: directory, fault: messageOf(error) });
      return [];
    }
  }

  function commandsIn(place: string): readonly Pick<SkillFile, "file" | "name" | "namespace" | "isCommand">[] {
    const directory = join(place, "commands");
    const found = definitionFiles(directory);
    unreadable.push(...found.unreadable);
    return found.files.map((file) => {
      const namespace = relative(directory, dirname(file)).split(sep).filter(Boolean);
      return { file, name: basename(file, ".md"), namespace, isCommand: true };
    });
  }
}

/** A skill's text, or why there is none; a pipe in its place would never end. */
export function skillFileText(file: string): { readonly text: string } | UnreadableFile {
  if (!isThere(file)) return { file, fault: "it is gone" };
  return isOther(file) ? { file, fault: "it is not a file" } : definitionText(file);
}

/**
 * A link that leads nowhere is there, and so is what may not be looked at: both are told. A file
 * beside the skills holds none.
 */
function isThere(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ENOTDIR";
  }
}

function isOther(file: string): boolean {
  try {
    return !statSync(file).isFile();
  } catch {
    return false;
  }
}

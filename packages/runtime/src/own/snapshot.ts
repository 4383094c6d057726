import { randomBytes } from "node:crypto";
import { basename, delimiter, isAbsolute } from "node:path";
import { programIn, runProcess } from "@troupe/process";
import { quoted } from "../agent/shell-run.ts";
import { isJudgedByName } from "../permissions/shell/known.ts";

export interface SnapshotDeps {
  /** That of the session's commands; `SHELL` in it names the person's shell. */
  readonly environment: Readonly<Record<string, string>>;
  readonly home: string;
}

/** What commands of an agent find of the person's own shell. */
export interface Snapshot {
  /** The name of that shell. */
  readonly shell: string;
  /** For bash to read before a command. */
  readonly text: string;
}

/** A start-up file may wait for something that does not come. */
const timeoutMs = 10_000;
const keptBytes = 4 << 20;

/**
 * Asks the person's login shell for its PATH and, where that is bash, its functions. Where it says
 * nothing that can be read, the snapshot has the PATH of the session alone.
 */
export async function takeSnapshot({ environment, home }: SnapshotDeps, signal: AbortSignal): Promise<Snapshot> {
  const { SHELL: program = "", PATH: path = "" } = environment;
  const start = { cwd: home, environment, timeoutMs, keptBytes };
  const shell = isAbsolute(program) ? basename(program) : "bash";
  const mark = randomBytes(16).toString("hex");
  const script = shell === "bash" ? ofBash(mark) : ofOthers(mark);
  const asked = isAbsolute(program)
    ? await runProcess({ ...start, program, args: ["-l", "-i", "-c", script] }, signal)
    : undefined;
  const said = saidIn(asked?.stdout ?? "", mark);
  const places = [...new Set([path, said?.path ?? ""].flatMap((one) => one.split(delimiter)).filter(isAbsolute))];
  const base = `export PATH=${quoted(places.join(delimiter))}\n`;
  const bash = programIn("bash", path);
  const functions = said && bash ? addedBy(said, places.join(delimiter)) : [];
  if (!bash || functions.length === 0) return { shell, text: base };
  const text = base + functions.map(({ text: definition }) => `${definition}\n`).join("");
  // What bash prints of a function is not always what it reads again.
  const check = 'eval "$1" && builtin compgen -A function';
  const read = await runProcess(
    { ...start, program: bash, args: ["--norc", "--noprofile", "-c", check, "bash", text] },
    signal,
  );
  const names = new Set(functions.map(({ name }) => name));
  const isRead =
    read.code === 0 &&
    read.stdout
      .trim()
      .split("\n")
      .every((name) => names.has(name));
  return { shell, text: isRead ? text : base };
}

interface Said {
  readonly path: string;
  /** The words that bash itself has. */
  readonly own: ReadonlySet<string>;
  readonly functions: readonly { readonly name: string; readonly text: string }[];
}

/** Start-up files print what they like: only what stands behind the mark counts. */
const ofBash = (mark: string): string => `
builtin printf '\\n${mark} path\\n%s\\n${mark} own\\n' "$PATH"
builtin compgen -b
builtin compgen -k
while IFS= builtin read -r troupe__name; do
  builtin printf '${mark} function %s\\n' "$troupe__name"
  builtin declare -f -- "$troupe__name"
done < <(builtin compgen -A function)
builtin printf '${mark} end\\n'`;

const ofOthers = (mark: string): string => `command printf '\\n${mark} path\\n%s\\n${mark} end\\n' "$PATH"`;

function saidIn(output: string, mark: string): Said | undefined {
  const parts = output
    .split(`\n${mark} `)
    .slice(1)
    .map((part) => ({ about: part.split("\n", 1)[0] ?? "", text: part.slice(part.indexOf("\n") + 1) }));
  if (parts.at(-1)?.about.trim() !== "end") return undefined;
  const of = (about: string) => parts.find((part) => part.about === about)?.text ?? "";
  return {
    path: of("path").trim(),
    own: new Set(of("own").split("\n")),
    functions: parts.flatMap(({ about, text }) =>
      about.startsWith("function ") ? [{ name: about.slice("function ".length), text: text.trimEnd() }] : [],
    ),
  };
}

/**
 * Functions that add a word and replace none: what is judged by its name, a word of bash, and what
 * is a program runs as without them. A name with a slash would replace a program by its path.
 */
const addedBy = ({ functions, own }: Said, path: string): Said["functions"] =>
  functions.filter(
    ({ name }) =>
      /^[A-Za-z_][\w.:+-]*$/.test(name) &&
      !own.has(name) &&
      !isJudgedByName(name) &&
      programIn(name, path) === undefined,
  );

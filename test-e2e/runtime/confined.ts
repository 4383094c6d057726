import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Bounds,
  builtInTools,
  type CommandDraft,
  type Confinement,
  createJobs,
  createSeenFiles,
  createShells,
  findConfinement,
  type Hands,
  type Machine,
} from "@troupe/runtime";
import { describe, onTestFinished, test } from "vitest";
import { describeWith } from "../require.ts";

const program = process.platform === "darwin" ? "sandbox-exec" : "bwrap";
const found = await findConfinement({ environment: process.env, temporary: tmpdir() });

/**
 * A suite that needs confinement; when the program is there and the system refuses it, the test
 * says so.
 */
export const describeConfined = (name: string, suite: (confinement: Confinement) => void): void =>
  describeWith(program, name, () => {
    const { confinement } = found;
    if (confinement) suite(confinement);
    else describe.skip(`not run: ${found.why}`, () => test(name, () => {}));
  });

/** A directory that is gone after the test. */
export function scratch(): string {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "troupe-confined-")));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** A repository with a few files. */
export function project(): string {
  const cwd = join(scratch(), "project");
  mkdirSync(join(cwd, "src"), { recursive: true });
  mkdirSync(join(cwd, "package/.vscode"), { recursive: true });
  writeFileSync(join(cwd, "README.md"), "# One\n\nTwo\n");
  writeFileSync(join(cwd, "src/a.ts"), "export const a = 1; // TODO\n");
  writeFileSync(join(cwd, "src/b.ts"), "export const b = 2;\n");
  writeFileSync(join(cwd, "data.json"), '{"name":"one"}\n');
  writeFileSync(join(cwd, "package/.vscode/tasks.json"), "{}\n");
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd, stdio: "ignore" });
  git("init", "-b", "main");
  git("add", ".");
  git("commit", "-m", "one");
  return cwd;
}

/** The tools in a directory; calls of Bash with bounds are confined where that is possible. */
export function shellIn(
  cwd: string,
  confinement?: Confinement,
  environment: Machine["environment"] = {},
  pdfMs?: number,
) {
  const home = scratch();
  let next = 0;
  const newId = () => `${next++}`;
  const told: string[] = [];
  const notify = (draft: CommandDraft) => void told.push(JSON.stringify(draft.content));
  const noted = (draft: CommandDraft) => {
    notify(draft);
    return { priority: "later" as const, ...draft, id: newId() };
  };
  const shells = createShells({ newId, notify, revision: "2026-11" });
  onTestFinished(() => shells.close());
  const agent: Hands = {
    cwd,
    shells,
    seen: createSeenFiles(),
    permissions: { judge: () => ({ behavior: "allow", reason: "" }) },
    session: { jobs: createJobs({ queue: { notify: noted, waiting: () => [] }, revision: "2026-11", show: () => {} }) },
  };
  const tools = builtInTools<Hands>({
    home,
    outputs: join(home, "outputs"),
    newId,
    fetch,
    environment: { PATH: String(process.env["PATH"]), HOME: home, ...environment },
    revision: "2026-11",
    skills: [],
    ask: async () => undefined,
    confinement,
    pdfMs,
  });
  const call = async (name: string, input: object, bounds?: Bounds, signal = new AbortController().signal) => {
    const tool = tools.find(({ definition }) => definition.name === name);
    const outcome = await tool?.run(input, { call: "call", signal, bounds, agent });
    const text = outcome?.content.map((block) => String(block["text"])).join("") ?? "";
    return { isError: outcome?.isError ?? false, text };
  };
  return {
    home,
    shells,
    told,
    call,
    run: (command: string, bounds?: Bounds, more: object = {}, signal?: AbortSignal) =>
      call("Bash", { command, ...more }, bounds, signal),
  };
}

/** The processes whose environment holds a word; none where the system does not show them. */
export function processesWith(word: string): readonly number[] {
  const holds = (name: string) => {
    try {
      return readFileSync(`/proc/${name}/environ`, "utf8").includes(word);
    } catch {
      return false;
    }
  };
  const names = existsSync("/proc") ? readdirSync("/proc") : [];
  return names.filter((name) => /^\d+$/.test(name) && holds(name)).map(Number);
}

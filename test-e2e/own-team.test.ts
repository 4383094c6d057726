import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { awaited, untilSeen } from "../scripts/awaited.ts";
import { openTroupe } from "./command-line.ts";
import { processesOf } from "./processes.ts";
import { describeWith } from "./require.ts";

const repository = join(import.meta.dirname, "..");
const page = readFileSync(join(repository, "apps/cli/README.md"), "utf8");
const [, shown = ""] = /## A team of your own\n.*?```console\n(.*?)```/s.exec(page) ?? [];
/** The commands of the page, each as its words. */
const lines = shown
  .split("\n")
  .map((line) => /^\$ troupe (.*?)(?: +#.*)?$/.exec(line)?.[1])
  .filter((line) => line !== undefined)
  .map((line) => [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? ""));

const { home, root, asProcess, troupe } = openTroupe();

describeWith("tmux", "the page of the command line", () => {
  test("shows a team of one's own, which without a key plans, asks, does its tasks and ends as the page says", async () => {
    const model = spawn(process.execPath, [join(repository, "examples/stand-in.mjs")], { cwd: home });
    onTestFinished(() => void model.kill());
    const [line] = await awaited(
      "the model",
      createInterface({ input: model.stdout })
        [Symbol.asyncIterator]()
        .next()
        .then(({ value }) => [String(value)]),
    );
    const environment = Object.fromEntries(
      [...(line ?? "").matchAll(/(\w+)=(\S+)/g)].map(([, name = "", value = ""]) => [name, value]),
    );
    expect(shown).toContain("export ANTHROPIC_API_KEY=none ANTHROPIC_BASE_URL=http://127.0.0.1:8000\n");
    const env = { ...environment, TMUX_TMPDIR: home, CLAUDECODE: "", TMUX: "" };
    const run = (...words: readonly string[]) => {
      // The process that starts a teammate ends, as at a terminal.
      const ran = (words[0] === "spawn" ? asProcess : troupe)(words, { env });
      expect(ran.status, `${words.join(" ")}: ${ran.stderr}`).toBe(0);
      return ran.stdout;
    };
    const waiting = (kind: "plan" | "permission") => {
      const { requests } = JSON.parse(run(kind, kind === "plan" ? "show" : "list", "--json"));
      return (requests as { from: string }[]).map(({ from }) => from);
    };
    const tasks = () =>
      (JSON.parse(run("task", "list", "--json")).tasks as { status: string }[]).map(({ status }) => status);
    const done: string[] = [];
    for (const words of lines) {
      const [name = "", verb = ""] = words;
      done.push([name, verb].join(" "));
      // A person leaves it again.
      if (name === "watch") continue;
      if (name === "plan" && verb === "approve") await untilSeen("a plan", () => waiting("plan").includes("alice"));
      if (name === "permission" && verb === "allow")
        await untilSeen("a question", () => waiting("permission").includes("bob"));
      // Each further command that bob or alice wants to run is asked about.
      if (name === "show")
        await untilSeen("the end of all tasks", () => {
          for (const from of waiting("permission")) run("permission", "allow", from);
          return tasks().every((status) => status === "completed");
        });
      const said = run(...words);
      if (name === "doctor") expect(said).toContain("nothing is wrong");
    }
    expect(done).toEqual(
      expect.arrayContaining(["team create", "plan approve", "permission allow", "shutdown parser-team"]),
    );
    expect(readFileSync(join(home, "work.txt"), "utf8").match(/^#\d by (alice|bob)$/gm)).toHaveLength(3);
    expect(processesOf(root)).toEqual([]);
  });
});

import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type MessagesRequest, toolUse } from "@troupe/fake-anthropic";
import { afterAll, describe, expect, test } from "vitest";
import { testMachine } from "../backends/tmux-machine.ts";
import { ann, isAnn, leadOfAnn, openLeads, usedIn } from "../led-team.ts";
import { describeWith } from "../require.ts";

const { home, root, stage, expectNothingLeft } = openLeads();
const config = join(root, "teams/crew/config.json");

const settings = (env: Readonly<Record<string, string>> = {}) => {
  mkdirSync(root, { recursive: true });
  writeFileSync(join(root, "settings.json"), JSON.stringify({ env, permissions: { allow: ["Bash"] } }));
};

const snapshots = join(root, "troupe/shell-snapshots");
const started = join(root, "troupe/session-env");
const debug = join(root, "troupe/debug");
const namesIn = (path: string): string[] => (existsSync(path) ? readdirSync(path).sort() : []);
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

/** The environment of a command, its shell, and a function of the person's. */
const look =
  "env | grep -E '^(CLAUDECODE|CLAUDE_CODE_E|TMUX_PANE|FROM_HOOK)'; greet; printf 'SHELL_%s=%s\\n' ID $$; echo SHELL_WORDS=$(tr '\\0' ' ' </proc/$$/cmdline)";

/** What its commands have printed, by name; of a name that was printed again the last. */
function printedIn({ messages }: MessagesRequest): Readonly<Record<string, string>> {
  const told = messages.flatMap(({ content }) => (typeof content === "string" ? [] : content));
  const results = told.filter(({ type }) => type === "tool_result").map((block) => JSON.stringify(block));
  const lines = results.join("\n").replaceAll("\\n", "\n").replaceAll('"', "\n");
  return Object.fromEntries([...lines.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [name, value]));
}

/** What stands on disk while ann is there. */
function disk() {
  const found = { ...JSON.parse(readFileSync(config, "utf8")) } as {
    readonly leadSessionId: string;
    readonly members: readonly { readonly name: string; readonly tmuxPaneId?: string }[];
  };
  return {
    lead: found.leadSessionId,
    members: found.members.map(({ name }) => name),
    pane: found.members.find(({ name }) => name === "ann")?.tmuxPaneId,
    team: [...namesIn(join(root, "tasks/crew")), ...namesIn(join(root, "teams/crew"))],
    snapshots: namesIn(snapshots).map((name) => [name, modeOf(join(snapshots, name))]),
    started: namesIn(started),
    debug: namesIn(debug),
    latest: readlinkSync(join(debug, "latest")),
    inbox: namesIn(join(root, "teams/crew/inboxes")).includes("team-lead.json")
      ? (JSON.parse(readFileSync(join(root, "teams/crew/inboxes/team-lead.json"), "utf8")) as readonly {
          readonly text: string;
          readonly read: boolean;
        }[])
      : [],
  };
}

/** A lead in a pane of its user's tmux, and ann: each looks twice, ann reports and is let go. */
async function lookAround(where: string) {
  settings();
  const said = '{ echo "export FROM_HOOK=yes"; } >>"$CLAUDE_ENV_FILE"';
  const hooks = { SessionStart: [{ hooks: [{ type: "command", command: said }] }] };
  writeFileSync(join(root, "settings.json"), JSON.stringify({ hooks, permissions: { allow: ["Bash"] } }));
  writeFileSync(join(home, ".bash_profile"), "greet() { echo GREETING=hello; }\nls() { echo stolen; }\n");
  const users = testMachine().users();
  const seen: Record<string, Readonly<Record<string, string>>[]> = { lead: [], ann: [] };
  const onDisk: ReturnType<typeof disk>[] = [];
  const { lead } = await stage(
    (request) => {
      const name = isAnn(request) ? "ann" : "lead";
      const looks = usedIn(request).filter((one) => one === "Bash").length;
      if (looks > 0 && usedIn(request).at(-1) === "Bash") seen[name]?.push(printedIn(request));
      if (name === "ann" || usedIn(request).includes("SendMessage")) if (existsSync(config)) onDisk.push(disk());
      if (looks < 2) return [toolUse("Bash", { command: look })];
      if (name === "ann") return ann({ ...request, messages: request.messages.slice(4) });
      if (usedIn(request).includes("TeamCreate") && !usedIn(request).includes("TaskCreate"))
        return [toolUse("TaskCreate", { subject: "paint", description: "the fence" })];
      return leadOfAnn(request);
    },
    { TMUX: users.environment.TMUX, TMUX_PANE: users.pane, SHELL: "/bin/bash" },
  );
  const { status, stderr } = await lead(where).over();
  expect({ status, stderr }).toMatchObject({ status: 0 });
  expectNothingLeft();
  const [first] = onDisk;
  if (!first) throw new Error("ann was never there");
  const ann1 = first.started.find((id) => id !== first.lead) ?? "";
  const [transcript] = execFileSync("find", [join(root, "projects"), "-name", `${ann1}.jsonl`], { encoding: "utf8" })
    .trim()
    .split("\n");
  return { users, seen, onDisk, first, ann: ann1, transcript: readFileSync(transcript ?? "", "utf8") };
}

describeWith("tmux", "of a lead in a pane", () => {
  describe.each(["in-process", "process", "tmux"])("whose teammate runs %s", (where) => {
    let whole: ReturnType<typeof lookAround> | undefined;
    const run = () => {
      whole ??= lookAround(where);
      return whole;
    };
    afterAll(() => {
      for (const place of [snapshots, started, debug]) rmSync(place, { recursive: true, force: true });
    });

    test("[STORE-07] commands know who runs them, and the pane is told to who is in it alone", async () => {
      const { seen, first, users } = await run();
      const ofAll = {
        CLAUDECODE: "1",
        CLAUDE_CODE_ENTRYPOINT: "cli",
        CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS: "1",
      };
      const of = (name: string) =>
        Object.fromEntries(
          Object.entries(seen[name]?.[0] ?? {}).filter(([one]) => one in ofAll || one === "TMUX_PANE"),
        );
      expect(of("lead")).toEqual({ ...ofAll, TMUX_PANE: users.pane });
      expect(of("ann")).toEqual(where === "tmux" ? { ...ofAll, TMUX_PANE: first.pane } : ofAll);
      if (where === "tmux")
        expect([first.pane !== users.pane, first.pane]).toEqual([true, expect.stringMatching(/^%\d+$/)]);
    });

    test("[TMUX-05] [STORE-04] each session has a snapshot of the person's shell, which the shell of each command reads before it evaluates the command", async () => {
      const { seen, first } = await run();
      expect(first.snapshots).toEqual(
        [0, 1].map(() => [expect.stringMatching(/^snapshot-bash-\d{13}-[0-9a-f]{8}\.sh$/), "600"]),
      );
      const read: unknown[] = [];
      for (const name of ["lead", "ann"]) {
        const [before, after] = seen[name] ?? [];
        expect([before?.["GREETING"], after?.["GREETING"]]).toEqual(["hello", "hello"]);
        expect(before?.["SHELL_ID"]).not.toBe(after?.["SHELL_ID"]);
        const words = before?.["SHELL_WORDS"] ?? "";
        expect(words).toMatch(/bash -c source '[^']+' && source '[^']+' && eval 'env \|/);
        read.push(/source '([^']+)'/.exec(words)?.[1]);
      }
      expect(read.sort()).toEqual(first.snapshots.map(([name = ""]) => join(snapshots, name)).sort());
      expect(namesIn(snapshots)).toEqual([]);
    });

    test("[STORE-05] [STORE-06] each session has a debug log, of which the latest is linked, and a directory from which commands have what its hooks set", async () => {
      const { seen, first, ann: id } = await run();
      expect(first.started).toEqual([first.lead, id].sort());
      expect(first.debug).toEqual([`${first.lead}.txt`, `${id}.txt`, "latest"].sort());
      expect(first.latest).toBe(`${id}.txt`);
      for (const name of ["lead", "ann"]) expect(seen[name]?.[0]).toMatchObject({ FROM_HOOK: "yes" });
      expect(namesIn(started)).toEqual([]);
      for (const one of [first.lead, id]) {
        const log = readFileSync(join(debug, `${one}.txt`), "utf8");
        expect(log).toMatch(/^\d{4}-\S+Z the model has answered, calls Bash \(\S+\)$/m);
        expect(log).toMatch(/turn ended: completed[\s\S]*the session has ended\n$/);
        expect(modeOf(join(debug, `${one}.txt`))).toBe("600");
      }
    });

    test("[STORE-03] what is done to a team is written where the seed says it is", async () => {
      const { onDisk, first, transcript, ann: id } = await run();
      expect(first.team).toEqual(expect.arrayContaining([".lock", "1.json", "config.json"]));
      expect(first.members).toEqual(["team-lead", "ann"]);
      if (where === "tmux") expect(first.pane).toMatch(/^%\d+$/);
      expect([first.started.includes(id), first.snapshots.length, first.debug.includes(`${id}.txt`)]).toEqual([
        true,
        2,
        true,
      ]);
      expect(transcript).toMatch(/"type":"tool_use"[^\n]*"name":"SendMessage"/);
      const reported = onDisk.flatMap(({ inbox }) => inbox.filter(({ text }) => text === "part A is finished"));
      // The lead was woken by it, for only then it asks ann to end, and has marked it.
      expect(reported.at(-1)?.read).toBe(true);
      expect([existsSync(join(root, "teams/crew")), existsSync(join(root, "tasks/crew"))]).toEqual([false, false]);
    });
  });
});

test("[TEAM-01] a lead adds teammates unless the variable of teams says no, which is read again each time it adds one", async () => {
  const variable = "CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS";
  const add = (name: string) => [
    toolUse("Agent", { name, description: "d", prompt: "p", subagent_type: "general-purpose", team_name: "crew" }),
  ];
  const rosters: unknown[] = [];
  let told = "";
  const { lead } = await stage(
    (request) => {
      if (!/You are \w+ in the team crew/.test(JSON.stringify(request.system).replace(/You are team-lead/, ""))) {
        told = JSON.stringify(request.messages);
        const done = usedIn(request).length;
        if (done > 0) rosters[done - 1] = existsSync(config) && JSON.parse(readFileSync(config, "utf8")).members.length;
        const value = ["1", "0", "1", "false"][done - 1];
        if (value !== undefined) settings({ [variable]: value });
        return (
          [[toolUse("TeamCreate", { team_name: "crew" })], ...["ann", "bob", "carol", "dave"].map(add)][done] ??
          "All is done."
        );
      }
      return "I rest.";
    },
    { [variable]: "0" },
  );
  settings();
  expect(await lead("in-process").over()).toMatchObject({ status: 0 });
  expect(rosters).toEqual([1, 2, 2, 3, 3]);
  expect(told.split("teams are off here")).toHaveLength(3);
});

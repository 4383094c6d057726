import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, test } from "vitest";
import { untilSeen } from "../../scripts/awaited.ts";
import { describeWith } from "../require.ts";
import { hostile } from "./hostile-words.ts";
import { always, type Machine, specOf, testMachine } from "./tmux-machine.ts";

/** A teammate that writes down its words, its environment and its directory. */
const witness = `cat /proc/$$/environ >"$1.environ"; pwd -P >"$1.cwd"; printf '%s\\0' "$@" >"$1.words"; : >"$1.ready"; exec sleep 1000`;

/** A lead in the tmux of a user, where `pwn` is a program that leaves a trace. */
function scene() {
  const one = testMachine();
  const bin = join(one.dir, "pwn");
  mkdirSync(bin);
  writeFileSync(join(bin, "pwn"), `#!/bin/sh\n: >'${one.dir}/pwned'\n`, { mode: 0o755 });
  one.environment["PATH"] = `${bin}${delimiter}${one.environment["PATH"]}`;
  return { one, users: one.users() };
}

const traces = (one: Machine) => readdirSync(one.dir).filter((name) => name === "pwned");

describeWith("tmux", "hostile words in a pane", () => {
  test("[ATP-BCK-007] arguments, variables, directories, names and colours reach the teammate as they are, and nothing of them runs", async () => {
    const { one, users } = scene();
    // What is drawn is expanded only for somebody who looks.
    one.tmux(
      "users-screen",
      "new-session",
      "-d",
      "-x",
      "200",
      "-y",
      "50",
      "-s",
      "o",
      "--",
      "env",
      "-u",
      "TMUX",
      "tmux",
      "-u",
      "-S",
      join(one.dir, "users"),
      "attach",
    );
    for (const [index, word] of hostile.entries()) {
      const file = join(one.dir, `${index}`);
      const cwd = join(one.dir, `cwd${index}-${word.replace(/\n/g, "").trimEnd()}`);
      mkdirSync(cwd);
      const backend = one.open({
        environment: users.environment,
        launch: () => ({
          file: "/bin/sh",
          args: ["-c", witness, "teammate", file, word, ...hostile],
          environment: { PATH: one.environment["PATH"] ?? "", WORD: word, ANOTHER: `${word}\n${word}` },
        }),
        async ready(_, signal) {
          await untilSeen(`${file}.ready`, () => signal.aborted || readdirSync(one.dir).includes(`${index}.ready`));
        },
      });
      const mate = await backend.spawn(
        specOf(`m${word}`, { cwd, color: word, prompt: word, team: `t${word}` }),
        always(),
      );
      expect(readFileSync(`${file}.words`, "utf8").split("\0").slice(1, -1)).toEqual([word, ...hostile]);
      const environ = readFileSync(`${file}.environ`, "utf8").split("\0");
      expect(environ).toEqual(expect.arrayContaining([`WORD=${word}`, `ANOTHER=${word}\n${word}`]));
      expect(readFileSync(`${file}.cwd`, "utf8")).toBe(`${cwd}\n`);
      expect(mate.pane, word).toBe(`%${index + 1}`);
    }
    expect(traces(one)).toEqual([]);
    expect(one.warnings).toEqual([]);
  });

  test("a name with a tmux format in it stands on the border as it is", async () => {
    const { one, users } = scene();
    const screen = ["new-session", "-d", "-x", "120", "-y", "20", "-s", "o"];
    one.tmux(
      "users-screen",
      ...screen,
      "--",
      "env",
      "-u",
      "TMUX",
      "tmux",
      "-u",
      "-S",
      join(one.dir, "users"),
      "attach",
    );
    const backend = one.open({ environment: users.environment });
    const names = ["a#(pwn)", "b#{pane_id}", "c%H", "e$(pwn)"];
    for (const name of names) await backend.spawn(specOf(name), always());
    for (const name of names)
      await untilSeen(`${name} on the screen`, () =>
        one.tmux("users-screen", "capture-pane", "-p", "-t", "o").includes(` ${name} `),
      );
    expect(traces(one)).toEqual([]);
  });

  test.each([
    ["an argument with NUL", { args: ["a\0b"] }],
    ["a value with NUL", { environment: { A: "\0" } }],
    ["a program without a path", { file: "sh" }],
    ["more words than tmux takes", { args: ["x".repeat(15_000)] }],
  ])("%s is refused before anything begins", async (_, more) => {
    const one = testMachine();
    const backend = one.open({ launch: () => ({ file: "/bin/true", args: [], environment: {}, ...more }) });
    await expect(backend.spawn(specOf("alice"), always())).rejects.toMatchObject({ code: "arguments_invalid" });
    expect(readdirSync(one.dir)).toEqual([]);
  });

  test("[ATP-BCK-104] an environment is the given one, and no client or pane of tmux shows any of it", async () => {
    const { one } = scene();
    one.environment["SERVERS_OWN"] = "leak";
    const users = one.users(200, 50, "users-leaky");
    const { PATH, clients } = one.recorded();
    const secret = "sk-ant-0123456789";
    const file = join(one.dir, "alice");
    const backend = one.open({
      environment: { ...users.environment, PATH, LEADS_OWN: "leak" },
      launch: () => ({
        file: "/bin/sh",
        args: ["-c", witness, "teammate", file],
        environment: { PATH: "/usr/bin:/bin", ANTHROPIC_API_KEY: secret, CLAUDECODE: "1", "no.name": "x" },
      }),
      ready: async () => void (await untilSeen("ready", () => readdirSync(one.dir).includes("alice.ready"))),
    });
    const alice = await backend.spawn(specOf("alice"), always());
    const names = (text: string) =>
      text
        .split("\0")
        .filter((entry) => entry !== "")
        .sort();
    const seen = Object.fromEntries(names(readFileSync(`${file}.environ`, "utf8")).map((entry) => entry.split("=", 2)));
    expect(seen).toMatchObject({
      ANTHROPIC_API_KEY: secret,
      CLAUDECODE: "1",
      PATH: "/usr/bin:/bin",
      TMUX_PANE: alice.pane,
    });
    const shells = ["PWD", "OLDPWD", "SHLVL", "_"];
    expect(
      Object.keys(seen)
        .filter((name) => !shells.includes(name))
        .sort(),
    ).toEqual(["ANTHROPIC_API_KEY", "CLAUDECODE", "PATH", "TERM", "TMUX", "TMUX_PANE", "TROUPE_TEAMMATE"]);
    expect(clients().length).toBeGreaterThan(0);
    expect(JSON.stringify(clients())).not.toContain(secret);
    expect(one.panes("users-leaky", "#{pane_start_command}").join()).not.toContain(secret);
    for (const scope of [["-g"], ["-t", "dev"]])
      expect(one.tmux("users-leaky", "show-environment", ...scope)).not.toContain(secret);
    const left = readdirSync(join(one.dir, "records"));
    expect(left).toEqual([expect.stringMatching(/^[0-9a-f]{16}\.json$/)]);
    expect(readFileSync(join(one.dir, "records", left[0] ?? ""), "utf8")).not.toContain(secret);
    expect(one.warnings).toEqual([expect.stringContaining("no.name")]);
  });

  test("the file of an environment is its owner's alone, and goes with a spawn that fails", async () => {
    const one = testMachine();
    const [records, modes, bin] = ["records", "modes", "looking"].map((name) => join(one.dir, name)) as [
      string,
      string,
      string,
    ];
    const { PATH } = one.recorded();
    mkdirSync(bin);
    // The client that starts the program begins while the file is there, which goes with its start.
    const look = `ls -l '${records}'/*.environment >>'${modes}' 2>/dev/null`;
    writeFileSync(join(bin, "tmux"), `#!/bin/sh\n${look}\nexec '${one.dir}/bin/tmux' "$@"\n`, { mode: 0o755 });
    const backend = one.open({
      environment: { ...one.environment, PATH: `${bin}${delimiter}${PATH}` },
      launch: () => ({ file: "/bin/sleep", args: ["1000"], environment: { KEY: "secret" } }),
      readyMs: 200,
      async ready() {
        await untilSeen("the program", () => !readdirSync(records).some((name) => name.endsWith(".environment")));
        throw new Error("it said so");
      },
    });
    await expect(backend.spawn(specOf("alice"), always())).rejects.toThrow("it said so");
    const seen = readFileSync(modes, "utf8").trimEnd().split("\n");
    expect(seen).toEqual(seen.map(() => expect.stringMatching(/^-rw------- /)));
    expect(seen[0]).toMatch(/environment$/);
    expect(readdirSync(records)).toEqual([]);
  });
});

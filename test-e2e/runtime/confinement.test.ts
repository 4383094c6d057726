import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { untilSeen } from "../../scripts/awaited.ts";
import { describeConfined, processesWith, project, scratch, shellIn } from "./confined.ts";

const reading = { writable: [] };

/** The read commands that people and models run all day. */
const everyday = [
  ...[
    "pwd",
    "ls",
    "ls -la",
    "ls -R src",
    "cat README.md",
    "head -n 1 README.md",
    "tail -n 1 README.md",
    "wc -l src/*.ts",
  ],
  ...["git status", "git log --oneline", "git diff HEAD", "git show --stat", "git branch --list", "git rev-parse HEAD"],
  ...["grep -rn TODO src", "grep -c nothing README.md", "find . -name '*.ts' | sort", "find . -type f | xargs wc -l"],
  ...["sort README.md | uniq -c", "cut -d' ' -f1 README.md", "tr a-z A-Z < README.md", "sed -n 1,2p README.md"],
  ...["diff src/a.ts src/b.ts", "stat -c %s README.md 2> /dev/null || true", "du -a src | wc -l", "cksum README.md"],
  ...[
    "id",
    "uname -s",
    "node --version",
    "date +%Y",
    "basename $(pwd)",
    'echo "$HOME" $? $SHLVL',
    "cat nothing",
    "exit 7",
  ],
  ...[
    "cd src && pwd && ls ..",
    "test -f README.md && echo yes",
    "printf '%s\\n' a b | tail -n 1",
    "seq 200000 | sort | tail -n 1",
  ],
];

describeConfined("a confined command", (confinement) => {
  const confinedIn = (cwd: string, environment = {}) => shellIn(cwd, confinement, environment);

  test("says and returns what it would unconfined, in all everyday cases", async () => {
    const cwd = project();
    const environment = { HOME: cwd };
    const [free, confined] = [shellIn(cwd, undefined, environment), confinedIn(cwd, environment)];
    const long = `cat <<'END' | wc -c\n${"x".repeat(100_000)}\nEND`;
    for (const command of [...everyday, long])
      expect([command, await confined.run(command, reading)]).toEqual([command, await free.run(command)]);
  });

  test("sees the working directory as an unconfined one does, also through a link and after a cd", async () => {
    const cwd = project();
    const link = join(scratch(), "link");
    symlinkSync(cwd, link);
    for (const [at, environment] of [
      [cwd, {}],
      [link, {}],
      [link, { PWD: link }],
      [link, { PWD: "/nowhere" }],
    ] as const) {
      const command = 'pwd; echo "$PWD"; cd src; pwd; pwd -P';
      expect(await confinedIn(at, environment).run(command, reading)).toEqual(
        await shellIn(at, undefined, environment).run(command),
      );
    }
  });

  test("writes nowhere, by whatever program, and is told why", async () => {
    const cwd = project();
    const { run, home } = confinedIn(cwd);
    const before = readdirSync(cwd).sort();
    for (const command of [
      "echo x > made",
      "echo x >> README.md",
      "touch made",
      "mkdir made",
      "rm -rf src",
      "mv README.md made",
      "chmod 777 README.md",
      "git commit --allow-empty -m two",
      `echo x > ${home}/made`,
      `node -e 'require("fs").writeFileSync(${JSON.stringify(join(home, "made"))}, "x")'`,
      "echo x > /tmp/troupe-made",
    ]) {
      const { isError, text } = await run(command, reading);
      expect([command, isError, text]).toEqual([
        command,
        true,
        expect.stringContaining("It ran read-only and without"),
      ]);
      expect(text).toContain(confinement.name);
    }
    expect(readdirSync(cwd).sort()).toEqual(before);
    expect(readFileSync(join(cwd, "README.md"), "utf8")).toBe("# One\n\nTwo\n");
    expect([existsSync(join(home, "made")), existsSync("/tmp/troupe-made")]).toEqual([false, false]);
  });

  test("has a place for temporary files, which nobody finds afterwards", async () => {
    const { run, home } = confinedIn(project());
    const { text } = await run('echo kept > "$TMPDIR/a" && cat "$TMPDIR/a" && echo "$TMPDIR"', reading);
    const [kept, place] = text.split("\n");
    expect(kept).toBe("kept");
    expect(existsSync(String(place))).toBe(false);
    expect(existsSync(join(home, "outputs"))).toBe(false);
    await expect(run("echo \0", reading)).rejects.toThrow("null bytes");
    await untilSeen("the end of outputs", () => !existsSync(join(home, "outputs")));
  });

  test("opens no connection: neither to a port nor to a socket that has a path", async () => {
    const path = join(scratch(), "s");
    const calls: string[] = [];
    const ports: number[] = [];
    for (const place of [0, path]) {
      const server = createServer((socket) => {
        calls.push(String(place));
        socket.end();
      });
      await new Promise<void>((resolve) => server.listen(place, () => resolve()));
      onTestFinished(() => void server.close());
      const address = server.address();
      if (address && typeof address === "object") ports.push(address.port);
    }
    const call = (place: string) =>
      `node -e 'require("net").connect(${place}).on("connect", () => process.exit(0)).on("error", ({ code }) => { console.log(code); process.exit(9); })'`;
    const places = [`${ports[0]}, "127.0.0.1"`, JSON.stringify(path)];
    for (const place of places) {
      const { isError, text } = await confinedIn(project()).run(call(place), reading);
      expect([place, isError, text]).toEqual([place, true, expect.stringMatching(/^E\w+\n(.*\n)*Exit code 9$/)]);
    }
    expect(calls).toEqual([]);
    for (const place of places) expect((await shellIn(project()).run(call(place))).isError).toBe(false);
    expect(calls).toHaveLength(2);
  });

  test("writes in the directories it may edit and nowhere else, and not what decides about other programs", async () => {
    const cwd = project();
    const worktree = join(cwd, ".claude/worktrees/one");
    mkdirSync(worktree, { recursive: true });
    writeFileSync(join(cwd, ".npmrc"), "");
    writeFileSync(join(worktree, ".git"), "gitdir: elsewhere\n");
    const { run, home } = confinedIn(cwd);
    const editing = { writable: [cwd, worktree, join(cwd, "not-there")] };
    for (const command of [
      "touch made && mkdir -p deep/er && echo x > deep/er/f && rm README.md && mv src lib",
      `touch ${worktree}/made`,
    ])
      expect([command, await run(command, editing)]).toEqual([command, { isError: false, text: "(no output)" }]);
    for (const command of [
      "touch .git/hooks/pre-commit",
      "echo x >> .git/config",
      "touch .claude/settings.json",
      "echo x > .npmrc",
      "echo x > package/.vscode/tasks.json",
      `echo x > ${worktree}/.git`,
      "rm -rf .git",
      `touch ${home}/made`,
      "touch ../made",
    ])
      expect([command, (await run(command, editing)).isError]).toEqual([command, true]);
    expect(readdirSync(join(cwd, "lib"))).toEqual(["a.ts", "b.ts"]);
    expect(readFileSync(join(cwd, "package/.vscode/tasks.json"), "utf8")).toBe("{}\n");
    expect(readFileSync(join(worktree, ".git"), "utf8")).toBe("gitdir: elsewhere\n");
    expect(existsSync(join(cwd, ".git/HEAD"))).toBe(true);
    const whole = await run(`touch ${home}/made`, { writable: ["/"] });
    expect([whole.isError, existsSync(join(home, "made"))]).toEqual([false, true]);
  });

  test("is not run at all when its confinement does not begin, and is told so", async () => {
    const cwd = project();
    const broken = {
      ...confinement,
      confined: (...given: Parameters<typeof confinement.confined>) => {
        const start = confinement.confined(...given);
        return { ...start, args: ["--no-such-option", ...start.args] };
      },
    };
    const outcome = await shellIn(cwd, broken).run("touch made", { writable: [cwd] });
    expect(outcome).toEqual({ isError: true, text: expect.stringMatching(/^It was not run: .* could not confine it/) });
    expect(existsSync(join(cwd, "made"))).toBe(false);
    const gone = await shellIn(join(cwd, "gone"), confinement).run("true", reading);
    expect(gone.text).toContain("does not exist any more");
  });

  test("runs in the background as well, and its end is told with the reason", async () => {
    const cwd = project();
    const { run, shells, told } = confinedIn(cwd);
    const { text } = await run("cat README.md; touch made", reading, { run_in_background: true });
    const task = shells.find(/as (b\w+)\./.exec(text)?.[1] ?? "");
    await task?.ended;
    await new Promise(setImmediate);
    expect(task?.output()).toContain("# One");
    expect(told).toEqual([expect.stringContaining("failed (exit code 1). It ran read-only and without network")]);
    expect(existsSync(join(cwd, "made"))).toBe(false);
  });

  test("that is interrupted or takes too long ends with all it started", async () => {
    const cwd = project();
    const mark = `mark-${process.pid}-${Math.random()}`;
    const { run } = confinedIn(cwd, { MARK: mark });
    const command = "echo begun; (sleep 100 & sleep 100) & touch begun; sleep 100";
    const person = new AbortController();
    const cut = run(command, { writable: [cwd] }, {}, person.signal);
    await untilSeen("what it makes", () => existsSync(join(cwd, "begun")));
    person.abort();
    expect((await cut).text).toMatch(/^begun\nInterrupted/);
    // How far it comes by then is for the machine.
    rmSync(join(cwd, "begun"));
    const late = await run(command, { writable: [cwd] }, { timeout: 2_000 });
    expect(late.text).toMatch(existsSync(join(cwd, "begun")) ? /^begun\nTimed out/ : /Timed out/);
    expect((await run("(setsid sleep 100 > /dev/null 2>&1 &); sleep 100 & echo done", reading)).text).toMatch(/^done/);
    await untilSeen("the end of what ran confined", () => processesWith(mark).length === 0);
  });
});

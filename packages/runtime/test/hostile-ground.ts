import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createPermissions } from "../src/permissions/permissions.ts";
import type { Behavior } from "../src/permissions/rule.ts";
import type { Ruling, WorkingMode } from "../src/permissions/ruling.ts";
import { callOf } from "./permitted.ts";

export type Mode = WorkingMode;

/** Directories full of traps, in which commands are judged and tried. */
export interface Ground {
  readonly top: string;
  readonly project: string;
  readonly outside: string;
  readonly home: string;
  /** Text of a row as it is meant here. */
  written(text: string): string;
  /** One of the directories that agents work in. */
  place(name: string): string;
  judge(row: Case): Ruling;
  /** The same for many inputs of one tool. */
  judging(under: Omit<Case, "input">): (input: string) => Ruling;
  remove(): void;
}

export interface Case {
  readonly mode: WorkingMode;
  readonly place: string;
  readonly rules: readonly { readonly behavior: Behavior; readonly text: string }[];
  readonly tool: string;
  readonly input: string;
}

/** Texts that only who may read them can know. */
export const secrets = {
  outside: "outside-secret-7",
  name: "outside-name-7",
  home: "home-secret-7",
  key: "key-secret-7",
  env: "env-secret-7",
  private: "private-secret-7",
};

const links = {
  link: "../outside",
  secret: "../outside/secret.txt",
  chain: "secret",
  ring: "ring",
  dangling: "../outside/new",
  inner: "src",
  "docs/elsewhere": "../../outside",
  "docs/note": "../../outside/secret.txt",
  "docs/README.md": "../../outside/secret.txt",
  "docs2/note": "../README.md",
  "pub/out": "../../outside",
  "o6/oz": "../../outside/secret.txt",
  "o3/x": "../../outside/secret.txt",
  "names/y": "../../outside/secret.txt",
  "q/secret": "../../outside/secret.txt",
  "q/se\n": "../../outside/secret.txt",
  "q/n1": "../../outside/secret.txt",
  "q/10/note": "../../../outside/secret.txt",
  "q/p/a\nq/p": "../../outside",
  "q/p/a\np": "../../../outside",
  "q/10/z/up": "../../../docs",
  "q/below": "../bare/objects",
};

const code = "export const hello = 1;\n";
const evilConfig = (program: string, worktree: string) =>
  `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = ${worktree}\n\tfsmonitor = ${program}\n`;

function files(project: string): Readonly<Record<string, string>> {
  const evil = join(project, "evil.sh");
  const readers = {
    "README.md": "readme: one a\nhello two\nthree\n",
    "package.json": '{"name":"x","scripts":{"test":"true"}}\n',
    "src/a.ts": code,
    "src/b.ts": `${code}const b = 2;\n`,
    "src/deep/c.ts": code,
  };
  return {
    ...Object.fromEntries(Object.entries(readers).map(([name, text]) => [`project/${name}`, text])),
    ...Object.fromEntries(Object.entries(readers).map(([name, text]) => [`plain/${name}`, text])),
    "project/.env": `TOKEN=${secrets.env}\n`,
    "project/src/.env": `TOKEN=${secrets.env}\n`,
    "project/src/empty/.keep": "",
    "project/u/x1": "one\n",
    "project/u/x2": "two\n",
    "project/docs/guide.md": "guide\n",
    "project/docs2/guide.md": "guide\n",
    "project/list": "../outside/secret.txt\n",
    "project/list0": "../outside/secret.txt",
    "project/list0b": "list",
    "project/list2": "ran\n",
    "project/list4": "list\n",
    "project/list5": "../outside",
    "project/m.jq": "def m: env;\n",
    "project/o6/outside": "",
    "project/.bash": "",
    "project/big": "line\n".repeat(2_000),
    "project/script.sed": "w ran\n",
    "project/a.awk": 'BEGIN{print "x" > "ran"}\n',
    "project/prog.jq": "env\n",
    "project/evil.js": `require("fs").writeFileSync(${JSON.stringify(join(project, "ran"))}, "")\n`,
    "project/evil.mjs": `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(join(project, "ran"))}, "")\n`,
    "project/evil.sh": `: > "${join(project, "ran")}"\n`,
    "project/evil.gitconfig": `[core]\n\tfsmonitor = ${evil}\n`,
    "project/evilhome/.gitconfig": `[core]\n\tfsmonitor = ${evil}\n`,
    "project/evilhome/.gitconfig2": `[core]\n\tfsmonitor = ${evil}\n`,
    "project/evilhome/.bashrc2": "touch ran\n",
    "project/evilhome/git/config": `[core]\n\tfsmonitor = ${evil}\n`,
    "project/bare/HEAD": "ref: refs/heads/main\n",
    "project/bare/config": evilConfig(evil, "."),
    "project/bare/objects/.keep": "",
    "project/bare/refs/.keep": "",
    "project/vendor.git/HEAD": "ref: refs/heads/main\n",
    "project/vendor.git/objects/.keep": "",
    "project/vendor.git/refs/.keep": "",
    "project/half/objects/.keep": "",
    "project/half/refs/.keep": "",
    "project/quarter/HEAD": "ref: refs/heads/main\n",
    "project/quarter/objects/.keep": "",
    "project/o1/-delete": "",
    "project/o2/-oran": "b\na\n",
    "project/o2/a": "a\n",
    "project/o4/-f..": "",
    "project/o4/-rh": "",
    "project/o4/outside": "",
    "project/o5/--files0-from=.names": "",
    "project/o5/.names": "../secret\0",
    "project/o7/--output=ran": "",
    "project/o8/-c": "",
    "project/o8/echo >ran": "",
    "project/names/z": "z\n",
    "project/q/se": "",
    "project/q/cret": "",
    "project/q/xsecretx": "",
    "project/q/xx-oranxx": "b\na\n",
    "project/q/+": "plus\n",
    "project/q/p/a": "",
    "project/q/p/secret.txt": "",
    "project/q/list": "../../outside/secret.txt\n",
    "project/q/10/cat": `#!/bin/sh\n: > "${join(project, "ran")}"\n`,
    "project/q/10/.gitconfig": `[core]\n\tfsmonitor = ${evil}\n`,
    "project/q/half/HEAD": "ref: refs/heads/main\n",
    "project/q/half/config": evilConfig(evil, "."),
    "project/q/tpl": "ref: refs/heads/main\n",
    "project/q/settings": evilConfig(evil, "."),
    "project/private/key": `${secrets.private}\n`,
    "wt/private/key": `${secrets.private}\n`,
    "wt/README.md": "readme\n",
    "outside/secret.txt": `${secrets.outside}\n`,
    [`outside/${secrets.name}`]: "",
    "outside/sub/x": "",
    "home/.ssh/id": `${secrets.home}\n`,
    "home/.gitconfig": `[user]\n\tname = N\n\temail = e@example.com\n[init]\n\tdefaultBranch = main\n`,
  };
}

export function hostileGround(): Ground {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "hostile-")));
  const [project, outside, home] = ["project", "outside", "home"].map((name) => join(top, name)) as [
    string,
    string,
    string,
  ];
  for (const [name, text] of Object.entries(files(project))) {
    mkdirSync(dirname(join(top, name)), { recursive: true });
    writeFileSync(join(top, name), text);
  }
  for (const [name, target] of Object.entries(links)) {
    mkdirSync(dirname(join(project, name)), { recursive: true });
    symlinkSync(target, join(project, name));
  }
  mkdirSync(join(project, "latin"));
  // A name that is no UTF-8 looks to this process like another one, which is not there.
  symlinkSync("../../outside/secret.txt", Buffer.concat([Buffer.from(join(project, "latin/")), Buffer.of(0xe9)]));
  for (const directory of [join(project, "src", "void"), join(outside, "void")]) mkdirSync(directory);
  for (const name of ["evil.sh", "q/10/cat"]) chmodSync(join(project, name), 0o755);
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, GIT_CONFIG_NOSYSTEM: "1" };
  const git = (cwd: string, ...words: string[]) => execFileSync("git", words, { cwd, env, stdio: "pipe" });
  for (const cwd of [project, join(top, "plain")]) {
    git(cwd, "init", "-q", "--template=");
    git(cwd, "add", "README.md", "src/a.ts");
    git(cwd, "commit", "-qm", "first");
    git(cwd, "add", "package.json", "src", ...(cwd === project ? [".env"] : []));
    git(cwd, "commit", "-qm", "second");
    git(cwd, "remote", "add", "origin", "https://example.com/x.git");
    git(cwd, "tag", "v0");
    writeFileSync(join(cwd, "src", "a.ts"), `${code}// changed\n`);
  }
  const below = join(project, "repo");
  mkdirSync(below);
  git(below, "init", "-q", "--template=");
  writeFileSync(join(below, ".git", "config"), evilConfig(join(project, "evil.sh"), ".."));
  execFileSync("tar", ["cf", "x.tar", "src/a.ts"], { cwd: project });

  const place = (name: string): string => (name === "bare" ? join(project, "bare") : join(top, name));
  const written = (text: string): string =>
    text
      .replace(/<U\+([0-9A-F]{4})>/g, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)))
      .replaceAll("⏎", "\n")
      .replaceAll("⇥", "\t")
      .replaceAll("@P", project)
      .replaceAll("@O", outside)
      .replaceAll("@H", home);

  return {
    top,
    project,
    outside,
    home,
    written,
    place,
    judge,
    judging,
    remove: () => execFileSync("rm", ["-rf", top]),
  };

  function judge({ input, ...under }: Case): Ruling {
    return judging(under)(input);
  }

  function judging({ mode, place: name, rules, tool }: Omit<Case, "input">): (input: string) => Ruling {
    const isCopy = name === "wt";
    const cwd = place(name);
    const permissions = createPermissions({
      cwd: isCopy ? project : cwd,
      home,
      mode,
      directories: [],
      rules: rules.map(({ behavior, text }) => ({
        behavior,
        text: text.replace(/(?:\/\/)?@([POH])/g, (sign) => `/${written(sign.slice(-2))}`),
        source: "user",
        base: isCopy ? project : home,
      })),
      isBypassAvailable: true,
      ask: async () => ({ behavior: "deny", message: "no" }),
      timeoutMs: 1_000,
      newId: () => "q",
    });
    const agent = isCopy ? permissions.within({ cwd, mode, badge: { name: "copy" } }) : permissions;
    const called = toolOf(tool);
    return (input) => agent.judge({ tool: called, input });
  }
}

const toolOf = (name: string) =>
  callOf(name, "", (input) => {
    const text = String(input);
    if (name === "Bash") return [{ kind: "command", command: text }];
    if (name === "WebFetch") return [{ kind: "url", url: text }];
    return [{ kind: name === "Read" ? "read" : "write", path: text }];
  }).tool;

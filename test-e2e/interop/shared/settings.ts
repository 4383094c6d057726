import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expectSame } from "../checks.ts";
import { markOf } from "../conversation.ts";
import type { Call } from "../dialect.ts";
import type { Given } from "../scenario.ts";
import type { Stage } from "../stage.ts";
import { bidden, bothOf } from "./headless.ts";

/** A hook that denies what it is told of; it leaves a sign that it ran. */
const hook = "touch hooked; if grep -q hookstop; then echo not-by-my-hook >&2; exit 2; fi";

const settings = {
  user: { permissions: { allow: ["Bash(./note user-*)"] } },
  project: {
    permissions: {
      allow: ["Bash(./note yes-*)", "Bash(./make:*)", "Bash(printenv OF_SETTINGS)", "Edit(/src/**)"],
      deny: ["Bash(./note yes-not*)", "Read(./secret/**)"],
      ask: ["Bash(./make asked*)"],
    },
    env: { OF_SETTINGS: "of-the-settings" },
    hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: hook }] }] },
  },
  local: { permissions: { deny: ["Bash(./make local*)"] } },
};

const bash = (command: string): Call => ["Bash", { command, description: "do it" }];

interface Trial {
  readonly call: (cwd: string) => Call;
  /** A file that is there afterwards, or words that its model is told. */
  readonly shows: { readonly file: string } | { readonly words: string };
  readonly is: boolean;
}

/** A command that makes a file, if it runs. */
const makes = (command: string, file: string, is: boolean): Trial => ({
  call: () => bash(command),
  shows: { file },
  is,
});

/** What each call comes to by these settings, with nobody there to be asked. */
const trials: Readonly<Record<string, Trial>> = {
  "an allow rule of the project": makes("./note yes-1", "yes-1", true),
  "an allow rule of the user": makes("./note user-1", "user-1", true),
  "a deny rule beats an allow rule": makes("./note yes-not", "yes-not", false),
  "what no rule allows": makes("./note other", "other", false),
  "a rule that ends with :*": makes("./make made", "made", true),
  "a deny rule of the local settings": makes("./make local-made", "local-made", false),
  "an ask rule beats an allow rule": makes("./make asked-for", "asked-for", false),
  "both of two commands are allowed": makes("./note yes-2 && ./make made-2", "made-2", true),
  "one of two commands is not allowed": makes("./note yes-3 && ./note other-3", "other-3", false),
  "a command in a command is not allowed": makes("./note yes-$(./note other-4)", "other-4", false),
  "a hook stops what is allowed": makes("./note yes-hookstop", "yes-hookstop", false),
  "an edit rule of a folder": {
    call: (cwd) => ["Write", { file_path: join(cwd, "src/new"), content: "x" }],
    shows: { file: "src/new" },
    is: true,
  },
  "an edit outside of it": {
    call: (cwd) => ["Write", { file_path: join(cwd, "top"), content: "x" }],
    shows: { file: "top" },
    is: false,
  },
  "a deny rule of reading": {
    call: (cwd) => ["Read", { file_path: join(cwd, "secret/key") }],
    shows: { words: "the-secret" },
    is: false,
  },
  "reading that no rule names": {
    call: (cwd) => ["Read", { file_path: join(cwd, "open") }],
    shows: { words: "the-open" },
    is: true,
  },
  "a variable of the settings": {
    call: () => bash("printenv OF_SETTINGS"),
    shows: { words: "of-the-settings" },
    is: true,
  },
};

/** The same settings, and the same calls under each of the two. */
export async function shareSettings({ check, open }: Given): Promise<void> {
  for (const side of ["theirs", "ours"] as const)
    await check(`rules, variables and hooks of settings are honoured by ${side}`, async () => {
      const stage = await open();
      furnish(stage);
      await stage.troupe("trust", stage.cwd, "--yes");
      const results = bidden(
        stage,
        "sam",
        Object.values(trials).map(({ call }) => call(stage.cwd)),
      );
      await bothOf(stage)[side](`${markOf("sam")} begin`);
      const told = results();
      const found = Object.entries(trials).map(([what, { shows }], n) => {
        const is = "file" in shows ? existsSync(join(stage.cwd, shows.file)) : told[n]?.includes(shows.words);
        return [what, is];
      });
      const expected = Object.entries(trials).map(([what, { is }]) => [what, is]);
      const wrong = found.filter(([what, is], n) => is !== expected[n]?.[1] && what);
      if (wrong.length > 0) {
        const why = wrong.map(([what, is]) => `${what} (${is}: ${told[Object.keys(trials).indexOf(String(what))]})`);
        throw new Error(`${wrong.length} of ${found.length} differ: ${why.join("; ").slice(0, 1_500)}`);
      }
      expectSame("the hook ran", existsSync(join(stage.cwd, "hooked")), true);
      return `${found.length} calls`;
    });
}

function furnish({ root, cwd }: Stage): void {
  const put = (path: string, text: string) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  const user = join(root, "settings.json");
  put(user, JSON.stringify({ ...JSON.parse(readFileSync(user, "utf8")), ...settings.user }));
  put(join(cwd, ".claude/settings.json"), JSON.stringify(settings.project));
  put(join(cwd, ".claude/settings.local.json"), JSON.stringify(settings.local));
  put(join(cwd, "secret/key"), "the-secret");
  put(join(cwd, "open"), "the-open");
  mkdirSync(join(cwd, "src"));
  // Commands that nobody knows: of those that are known some clients judge the paths besides.
  for (const name of ["note", "make"]) writeFileSync(join(cwd, name), '#!/bin/sh\necho "$1" > "$1"\n', { mode: 0o755 });
}

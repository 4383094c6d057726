import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { scratch } from "../../test/scratch.ts";
import { takeSnapshot } from "./snapshot.ts";

const { signal } = new AbortController();
const PATH = "/usr/bin:/bin";

/** A person whose shell reads this when it starts, and what a command finds behind its snapshot. */
async function personWith(rc: string, more: Readonly<Record<string, string>> = {}) {
  const home = scratch();
  writeFileSync(join(home, ".bash_profile"), ". ~/.bashrc\n");
  writeFileSync(join(home, ".bashrc"), rc);
  const environment = { HOME: home, PATH, SHELL: "/bin/bash", ...more };
  const { shell, text } = await takeSnapshot({ environment, home }, signal);
  const file = join(home, "snapshot.sh");
  writeFileSync(file, text);
  const run = (command: string) =>
    execFileSync("bash", ["-c", `source ${file} && eval '${command}'`], {
      cwd: home,
      env: environment,
      encoding: "utf8",
      // A bash whose input is a socket reads start-up files by itself.
      stdio: ["ignore", "pipe", "pipe"],
    });
  return { home, shell, text, run };
}

const stealing = "{ echo stolen; }";

describe("a snapshot", () => {
  test("has the places of the person's PATH behind those of the session, and the functions that add a word", async () => {
    const { home, shell, run } = await personWith(`
      echo "Welcome!"
      PATH="$HOME/bin:.:$PATH:relative"
      greet() { echo "hello $1"; }
      pdf-of() { cat <<END
it's "$1"
END
      }`);
    mkdirSync(join(home, "bin"));
    writeFileSync(join(home, "bin/added"), "#!/bin/sh\necho added\n", { mode: 0o755 });
    expect(shell).toBe("bash");
    expect(run("greet you")).toBe("hello you\n");
    expect(run("pdf-of me")).toBe('it\'s "me"\n');
    expect(run("added")).toBe("added\n");
    const places = run('echo "$PATH"').trim().split(":");
    expect(places.slice(0, 2)).toEqual(PATH.split(":"));
    expect(places.indexOf(`${home}/bin`)).toBeGreaterThan(1);
    expect(places.filter((place) => !place.startsWith("/"))).toEqual([]);
  });

  test("a word that is judged runs what was judged, whatever the person's shell makes of it", async () => {
    const names = "ls cat jq gawk git rm sudo timeout echo cd test if_ [ find awk trap tool".split(" ");
    const { home, text, run } = await personWith(`
      shopt -s expand_aliases nullglob
      set -e
      alias wc='echo stolen'
      ${names.map((name) => `${name}() ${stealing}`).join("\n")}
      function /bin/cat ${stealing}
      function ./near ${stealing}
      function -x ${stealing}
      mkdir -p ~/bin; printf '#!/bin/sh\\necho stolen\\n' >~/bin/head; command cp ~/bin/head ~/bin/tool; command chmod +x ~/bin/head ~/bin/tool
      PATH=~/bin:$PATH`);
    writeFileSync(join(home, "a.txt"), "one\n");
    expect(text).not.toContain("alias");
    for (const command of [
      "ls",
      "cat a.txt",
      "/bin/cat a.txt",
      "wc a.txt",
      "head a.txt",
      "echo mine",
      "find . -name a.txt",
    ])
      expect([command, run(command)]).not.toEqual([command, expect.stringContaining("stolen")]);
    expect(run("false; echo on; echo *.none")).toBe("on\n*.none\n");
    expect(run("builtin compgen -A function").trim()).toBe("if_");
  });

  test.each([
    ["says nothing that can be read", "exit 3", {}],
    ["is none of bash", "", { SHELL: "/bin/false" }],
    ["is not there", "", { SHELL: "/no/shell" }],
    ["is not named", "", { SHELL: "" }],
  ])("of a shell that %s has the PATH of the session alone", async (_, rc, more) => {
    expect((await personWith(rc, more)).text).toBe(`export PATH='${PATH}'\n`);
  });

  test("has no functions where they cannot be read again", async () => {
    const { text, run } = await personWith(`good() { echo good; }
      builtin() {
        if [ "$1" = declare ]; then echo 'good () {'; else command builtin "$@"; fi
      }`);
    expect(text).toMatch(/^export PATH='[^']*'\n$/);
    expect(run("echo on")).toBe("on\n");
  });
});

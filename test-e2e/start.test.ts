import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const troupe = (...args: string[]) =>
  spawnSync(process.execPath, [join(root, "apps/cli/dist/main.js"), ...args], { cwd: root, encoding: "utf8" });

test("a look at the sample teams shows them", () => {
  const { status, stdout, stderr } = troupe("show", "apps/cli/sample");
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  for (const shown of ["team-lead", "reader", "writer", "checker", "alice", "blocked by #3, #4", "2 unread"]) {
    expect(stdout).toContain(shown);
  }
});

test("bad arguments and a missing root get an error that says what to do", () => {
  expect(troupe("shout")).toMatchObject({ status: 2, stderr: expect.stringContaining("troupe help lists all") });
  expect(troupe("show", "nowhere")).toMatchObject({
    status: 3,
    stderr: expect.stringContaining("name the one that holds teams/ and tasks/"),
  });
  expect(troupe("--help")).toMatchObject({ status: 0, stdout: expect.stringContaining("usage: troupe <command>") });
});

/** The files that are loaded with one of the bundle, and before it runs. */
function loadedWith(file: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(file)) return found;
  found.add(file);
  const text = readFileSync(join(root, "apps/cli/dist", file), "utf8");
  for (const [, next = ""] of text.matchAll(/^(?:import|export) (?:[^"]* from )?"\.\/([^"]+)";$/gm))
    loadedWith(next, found);
  return found;
}

test("the table of commands is loaded without any schema, so that no command pays for the others", () => {
  const heavy = (file: string) => readFileSync(join(root, "apps/cli/dist", file), "utf8").includes("/node_modules/");
  expect([...loadedWith("main.js")].filter(heavy)).toEqual([]);
  // A file that has some is seen as such.
  expect([...loadedWith("show.js")].some(heavy)).toBe(true);
});

test("a session is loaded without the client of MCP, and of the SDK without a resource: a server or a call asks for more", () => {
  const dist = join(root, "apps/cli/dist");
  const files = readdirSync(dist).filter((file) => file.endsWith(".js"));
  const holding = (path: string) => files.filter((file) => readFileSync(join(dist, file), "utf8").includes(path));
  const [session = ""] = holding("function openRealSession(");
  const loaded = loadedWith(session);
  expect(holding("/node_modules/@anthropic-ai/sdk/client.mjs").some((file) => loaded.has(file))).toBe(true);
  for (const path of ["/node_modules/@modelcontextprotocol/client/", "/node_modules/@anthropic-ai/sdk/resources/"])
    expect(
      holding(path).filter((file) => loaded.has(file)),
      path,
    ).toEqual([]);
  expect(holding("/node_modules/@modelcontextprotocol/client/")).not.toEqual([]);
});

test("what is shipped names the licences of all that is in it, also in the page", () => {
  const licences = ["licenses.txt", "page/licenses.txt"]
    .map((file) => readFileSync(join(root, "apps/cli/dist", file), "utf8"))
    .join("\n");
  for (const name of ["preact", "@preact/signals", "@preact/signals-core", "zod", "yaml"])
    expect(licences).toMatch(new RegExp(`^${name} \\d[\\w.]* \\((MIT|ISC)\\)$`, "m"));
});

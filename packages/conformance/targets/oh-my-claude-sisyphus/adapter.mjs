// The npm package oh-my-claude-sisyphus as a target: its workers as members of a team of others,
// which is all of the protocol's files that it writes: node adapter.mjs <directory it lies in>
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { answering, refusal } from "../answering.mjs";

const [installed = "."] = process.argv.slice(2);
const home = join(resolve(installed), "node_modules/oh-my-claude-sisyphus");
const { exports, version } = createRequire(import.meta.url)(join(home, "package.json"));
const team = await import(pathToFileURL(join(home, exports["./team"].import)).href);

// Its own state lies in .omc of its directory; without this probe it writes there alone.
const work = join(process.env["HOME"] ?? "", "project");
mkdirSync(work, { recursive: true });
team.writeProbeResult(work, { probeResult: "pass", probedAt: new Date().toISOString(), version: "conformance" });

/** @param {string} name */
const configOf = (name) =>
  JSON.parse(readFileSync(join(process.env["CLAUDE_CONFIG_DIR"] ?? "", "teams", name, "config.json"), "utf8"));

/**
 * Its functions end without a word when they could not write, so that what they did is read from
 * the file.
 * @param {string} name
 * @param {string} member
 */
const entryOf = (name, member) => configOf(name).members.find((/** @type {any} */ one) => one.name === member);

/** @type {import("../answering.mjs").Methods} */
const methods = {
  reset: ({ root }) => {
    process.env["CLAUDE_CONFIG_DIR"] = root;
  },
  "member.add": ({ team: name, name: member, agentType, model, paneId, cwd }) => {
    configOf(name);
    team.registerMcpWorker(name, member, agentType, model, paneId ?? "%0", cwd, work);
    const entry = entryOf(name, member);
    if (!entry) throw refusal("locked", `${member} was not written into the config`);
    return { member: entry };
  },
  "member.remove": ({ team: name, name: member }) => {
    if (!entryOf(name, member)) throw refusal("notFound", `there is no member ${member}`);
    team.unregisterMcpWorker(name, member, work);
  },
};

/** @param {any} error */
function nameOf(error) {
  if (error instanceof SyntaxError || /Invalid|escape|outside/i.test(error.message)) return "invalid";
  return error.code === "ENOENT" ? "notFound" : undefined;
}

const about = {
  name: "oh-my-claude-sisyphus",
  version,
  language: "TypeScript",
  homepage: "https://github.com/Yeachan-Heo/oh-my-claudecode",
  issues: "https://github.com/Yeachan-Heo/oh-my-claudecode/issues",
  revisions: ["2026-02"],
  quirks: { lockStyle: "file", lockPath: "<file>.lock", staleMs: 30_000 },
};

await answering({ about, methods, nameOf });

// A program without an adapter that makes teams and tasks by commands, counts files for ids, and
// crashes when it is to delete.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [verb, team = "", ...words] = process.argv.slice(2);
const root = process.env["FILING_ROOT"] ?? "";
const tasks = join(root, "tasks", team);

/**
 * @param {string} path
 * @param {unknown} document
 */
const write = (path, document) =>
  writeFileSync(path, JSON.stringify(document, undefined, 2), { flag: "wx", mode: 0o600 });

if (verb === "team") {
  mkdirSync(join(root, "teams", team), { recursive: true });
  mkdirSync(tasks, { recursive: true });
  const now = Date.now();
  const lead = { agentId: `team-lead@${team}`, name: "team-lead", agentType: "team-lead", model: "m", joinedAt: now };
  const place = { tmuxPaneId: "", cwd: "/p", subscriptions: [] };
  const session = { leadAgentId: lead.agentId, leadSessionId: "s", members: [{ ...lead, ...place }] };
  try {
    write(join(root, "teams", team, "config.json"), {
      name: team,
      description: words[0] ?? "",
      createdAt: now,
      ...session,
    });
  } catch {
    process.exit(3);
  }
} else if (verb === "add") {
  const id = String(readdirSync(tasks).filter((name) => name.endsWith(".json")).length + 1);
  const description = readFileSync(0, "utf8");
  write(join(tasks, `${id}.json`), {
    id,
    subject: words[0],
    description,
    status: "pending",
    blocks: [],
    blockedBy: [],
  });
  console.log(JSON.stringify({ made: { number: Number(id) } }));
} else {
  process.kill(process.pid, "SIGSEGV");
}

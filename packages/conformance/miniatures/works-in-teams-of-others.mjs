// Makes no team: it appends to the inboxes of members that it finds in the config, and reads them.
// It has no call for long texts.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { hello, speak } from "./speak.mjs";

let root = process.env["AGENT_TEAMS_HOME"] ?? "";

await speak((method, params) => {
  if (method === "hello") return { ...hello([]), methods: ["inbox.append", "inbox.read"] };
  if (method === "reset") root = String(params["root"]);
  if (!method.startsWith("inbox.")) return {};
  const { team, agent, from, text, summary } = params;
  const place = join(root, "teams", String(team));
  const { members } = JSON.parse(readFileSync(join(place, "config.json"), "utf8"));
  if (String(text).length > 10_000) throw -32601;
  // The number of an error, as `speak` takes it.
  if (!members.some((/** @type {{ name: string }} */ { name }) => name === agent)) throw 1001;
  const file = join(place, "inboxes", `${agent}.json`);
  const messages = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : [];
  if (method === "inbox.read") return { messages };
  messages.push({ from, text, summary, timestamp: new Date().toISOString(), read: false });
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(messages, undefined, 2));
  return {};
});

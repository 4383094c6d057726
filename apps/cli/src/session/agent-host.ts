import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { agentNamed, hostAgent, lentVariables } from "@troupe/backends/acp";
import type { TeammateArgs } from "@troupe/protocol";
import { seatOf } from "@troupe/runtime";
import { openLedgerFile } from "@troupe/team";
import { clientFile } from "../client-file.ts";
import type { Call } from "../command.ts";
import { openTeam } from "../open.ts";

/** Runs a teammate that is an agent of others, until its lead shuts it down. */
export async function hostTeammate(call: Call, args: TeammateArgs, word: string): Promise<void> {
  const { root, cwd, environment, now, note, signal } = call;
  const preset = agentNamed(word, environment["PATH"]);
  const team = await openTeam(call, args.teamName);
  const { self, lead } = await seatOf(team, args.agentName);
  const { value } = await team.config();
  const file = clientFile(root, team.name, value?.createdAt ?? 0, self.name);
  const ledger = await openLedgerFile({ path: `${file}.jsonl` });
  const main = join(dirname(fileURLToPath(import.meta.url)), "main.js");
  // What the agent passes on of its own variables is its matter.
  const store = environment["TROUPE_STORE"];
  const choice: Record<string, string> = store ? { TROUPE_STORE: store } : {};
  const server = ["mcp", "--root", root, "--team", team.name, "--as", self.name, "--without-mail"];
  try {
    await hostAgent({
      team,
      self,
      lead,
      ledger,
      preset,
      mode: args.permissionMode ?? "default",
      planModeRequired: args.planModeRequired,
      color: args.agentColor,
      isSpawned: true,
      hasKey: args.leadVerifyKey !== undefined,
      cwd,
      environment: lentVariables(environment, preset.variables),
      server: { name: "troupe", command: process.execPath, args: [main, ...server], environment: choice },
      session: sessionIn(`${file}.session`),
      now,
      newId: randomUUID,
      show: note,
      signal,
    });
  } finally {
    ledger.close();
  }
}

/** The id of the agent's own session, for the process after this one. */
const sessionIn = (path: string) => ({
  read(): string | undefined {
    try {
      return readFileSync(path, "utf8") || undefined;
    } catch {
      return undefined;
    }
  },
  write(id: string): void {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, id, { mode: 0o600 });
  },
});

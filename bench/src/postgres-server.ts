import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { migratePostgresStore, openPostgresStore } from "@troupe/store-postgres";
import { Client } from "pg";

/** A server for measurements, with a team on it. */
export interface Served {
  /** As the owner of the tables. */
  readonly url: string;
  /** The same as another role. */
  urlOf(role: string): string;
  /** A connection without Troupe. */
  readonly bare: Client;
  stop(): Promise<void>;
}

const at = (path: string) => fileURLToPath(new URL(`../../test-e2e/${path}`, import.meta.url));

/** The server of the tests, on the disk; undefined, and said so, where none can be had. */
export async function serve(): Promise<Served | undefined> {
  execFileSync(process.execPath, [at("bundle.mjs")], { stdio: ["ignore", "ignore", "inherit"] });
  const child = spawn(process.execPath, [at("dist/postgres/serve.mjs")], { stdio: ["pipe", "pipe", "inherit"] });
  const [line] = await once(createInterface(child.stdout), "line");
  const { url, missing } = JSON.parse(line) as { url: string; missing?: string };
  if (missing !== undefined) {
    console.error(`not measured: postgres: ${missing}`);
    return undefined;
  }
  await migratePostgresStore({ url });
  const bare = new Client({ connectionString: url });
  await bare.connect();
  return {
    url,
    bare,
    urlOf: (role) => url.replace("troupe@", `${role}@`),
    async stop() {
      await bare.end();
      child.stdin.end();
      await once(child, "exit");
    },
  };
}

/** A team of the current revision with these members. */
export async function teamOf(url: string, name: string, members: readonly string[]) {
  const store = await openPostgresStore({ url });
  const session = { createdAt: Date.now(), leadSessionId: crypto.randomUUID(), leadModel: "m", cwd: "/" };
  const team = await store.createTeam({ name, revision: "2026-11", ...session });
  for (const member of members)
    await team.join({ name: member, agentType: "a", model: "m", prompt: "p", joinedAt: Date.now(), cwd: "/" });
  return { store, team };
}

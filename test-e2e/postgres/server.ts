import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chownSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Client } from "pg";
import { untilSeen } from "../../scripts/awaited.ts";
import { memory } from "../memory.ts";
import { childrenOf } from "../processes.ts";
import { owner } from "./installed.ts";

/** A running server that only this machine reaches. */
export interface Server {
  /** An empty schema of its own, as another database. */
  newPlace(): Promise<Place>;
  /** Kills it as a crash does, and starts it again. */
  crash(): Promise<void>;
  /** Stops all its processes where they stand. */
  freeze(): void;
  thaw(): void;
  stop(): Promise<void>;
}

export interface Place {
  readonly url: string;
  /** Runs statements in it, as somebody with a terminal does. */
  run(statements: string): Promise<readonly object[]>;
  /** Creates a role that can log in and do nothing yet. */
  newRole(): Promise<Place & { readonly role: string }>;
}

export async function startServer(programs: string): Promise<Server> {
  const directory = mkdtempSync(join(memory, "pg-"));
  if (owner.uid !== undefined) chownSync(directory, owner.uid, owner.gid);
  const data = join(directory, "data");
  const options = [
    "--username=troupe",
    "--auth=trust",
    "--encoding=UTF8",
    "--locale=C",
    "--no-sync",
    "--no-instructions",
  ];
  execFileSync(join(programs, "initdb"), [`--pgdata=${data}`, ...options], { ...owner, cwd: directory, stdio: "pipe" });
  let places = 0;
  let roles = 0;
  let running = start();

  function start(): ChildProcess {
    const args = ["-D", data, "-k", directory, "-c", "listen_addresses=", "-c", "max_connections=60"];
    return spawn(join(programs, "postgres"), args, { ...owner, cwd: directory, stdio: "ignore" });
  }

  const urlOf = (schema: string, role = "troupe") =>
    `postgres://${role}@localhost/postgres?host=${encodeURIComponent(directory)}&options=${encodeURIComponent(`-c search_path=${schema}`)}`;

  async function run(url: string, statements: string): Promise<readonly object[]> {
    const client = new Client({ connectionString: url });
    client.on("error", () => {});
    await client.connect();
    try {
      return (await client.query(statements)).rows;
    } finally {
      await client.end();
    }
  }

  async function untilUp(): Promise<void> {
    await untilSeen("the server of PostgreSQL", () =>
      run(urlOf("public"), "select 1").then(
        () => true,
        () => {
          // A server does not start while processes of the one before it still end.
          if (running.exitCode !== null || running.signalCode !== null) running = start();
          return false;
        },
      ),
    );
  }

  function placeAt(schema: string, role?: string): Place {
    const url = urlOf(schema, role);
    return {
      url,
      run: (statements) => run(url, statements),
      async newRole() {
        roles += 1;
        const name = `host_${roles}`;
        await run(urlOf(schema), `create role ${name} login`);
        return { role: name, ...placeAt(schema, name) };
      },
    };
  }

  function signal(name: "SIGSTOP" | "SIGCONT"): void {
    const { pid: first = 0 } = running;
    // Elsewhere it is the first process alone: no more connections are taken.
    for (const pid of [first, ...(process.platform === "linux" ? childrenOf(first) : [])]) {
      try {
        process.kill(pid, name);
      } catch {
        // It has ended meanwhile.
      }
    }
  }

  const ended = (child: ChildProcess) =>
    new Promise<void>((resolve) => {
      if (child.exitCode !== null || child.signalCode !== null) resolve();
      else child.once("exit", () => resolve());
    });

  await untilUp();

  return {
    async newPlace() {
      places += 1;
      const schema = `place_${places}`;
      await run(urlOf("public"), `create schema ${schema}`);
      return placeAt(schema);
    },
    async crash() {
      running.kill("SIGKILL");
      await ended(running);
      await untilUp();
    },
    freeze: () => signal("SIGSTOP"),
    thaw: () => signal("SIGCONT"),
    async stop() {
      running.kill("SIGINT");
      await ended(running);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chownSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Client } from "pg";
import { untilSeen } from "../../scripts/awaited.ts";
import { memory } from "../memory.ts";
import { owner } from "./installed.ts";

/** A running server that only this machine reaches. */
export interface Server {
  /** An empty schema of its own, as another database. */
  newPlace(): Promise<Place>;
  /** Kills it as a crash does, and starts it again. */
  crash(): Promise<void>;
  stop(): Promise<void>;
}

export interface Place {
  readonly url: string;
  /** Runs a statement in it, as somebody with a terminal does. */
  run(statement: string): Promise<readonly object[]>;
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
  let running = start();

  function start(): ChildProcess {
    const args = ["-D", data, "-k", directory, "-c", "listen_addresses=", "-c", "max_connections=60"];
    return spawn(join(programs, "postgres"), args, { ...owner, cwd: directory, stdio: "ignore" });
  }

  const urlOf = (schema: string) =>
    `postgres://troupe@localhost/postgres?host=${encodeURIComponent(directory)}&options=${encodeURIComponent(`-c search_path=${schema}`)}`;

  async function run(schema: string, statement: string): Promise<readonly object[]> {
    const client = new Client({ connectionString: urlOf(schema) });
    client.on("error", () => {});
    await client.connect();
    try {
      return (await client.query(statement)).rows;
    } finally {
      await client.end();
    }
  }

  async function untilUp(): Promise<void> {
    await untilSeen("the server of PostgreSQL", () =>
      run("public", "select 1").then(
        () => true,
        () => {
          // A server does not start while processes of the one before it still end.
          if (running.exitCode !== null || running.signalCode !== null) running = start();
          return false;
        },
      ),
    );
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
      await run("public", `create schema ${schema}`);
      return { url: urlOf(schema), run: (statement) => run(schema, statement) };
    },
    async crash() {
      running.kill("SIGKILL");
      await ended(running);
      await untilUp();
    },
    async stop() {
      running.kill("SIGINT");
      await ended(running);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

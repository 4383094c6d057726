import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, copyFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { Client } from "pg";
import { untilSeen } from "../../scripts/awaited.ts";
import { memory } from "../../scripts/memory.ts";
import { childrenOf } from "../processes.ts";
import { giveAway, type Installed, newDirectory, owner } from "./installed.ts";

/** The programs of a server, and the empty database that it begins with. */
type Startable = Exclude<Installed, { readonly missing: string }>;

/** A running server that only this machine reaches. */
export interface Server {
  /** Where it listens beside its socket; 0 where it does not. */
  readonly port: number;
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

/** Files of a certificate: with one, those that connect over the network must use TLS. */
interface Certified {
  readonly certificate: string;
  readonly key: string;
}

export interface ServerOptions {
  readonly tls?: Certified;
  /** The directory of its own; in memory unless said. */
  readonly below?: string;
}

export async function startServer(
  { programs, empty }: Startable,
  { tls, below = memory }: ServerOptions = {},
): Promise<Server> {
  const directory = newDirectory(below);
  const data = join(directory, "data");
  execFileSync("cp", ["-R", empty, data], { stdio: "pipe" });
  giveAway(data);
  const port = tls ? await freePort() : 0;
  const network = tls ? networkOf(data, port, tls) : { listen_addresses: "" };
  let places = 0;
  let roles = 0;
  let running = start();

  function start(): ChildProcess {
    const settings = Object.entries({ max_connections: "120", ...network });
    const args = ["-D", data, "-k", directory, ...settings.flatMap(([name, value]) => ["-c", `${name}=${value}`])];
    return spawn(join(programs, "postgres"), args, { ...owner, cwd: directory, stdio: "ignore" });
  }

  const urlOf = (schema: string, role = "troupe") =>
    `postgres://${role}@localhost${port ? `:${port}` : ""}/postgres?host=${encodeURIComponent(directory)}&options=${encodeURIComponent(`-c search_path=${schema}`)}`;

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
    port,
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

/** Has it take connections of the network by TLS and passwords alone; the socket stays as it is. */
function networkOf(data: string, port: number, { certificate, key }: Certified): Record<string, string> {
  const lines = ["local all all trust", "hostssl all all all scram-sha-256"];
  writeFileSync(join(data, "pg_hba.conf"), `${lines.join("\n")}\n`);
  const files = { ssl_cert_file: [certificate, "server.crt"], ssl_key_file: [key, "server.key"] } as const;
  for (const [from, name] of Object.values(files)) {
    copyFileSync(from, join(data, name));
    chmodSync(join(data, name), 0o600);
    if (owner.uid !== undefined) chownSync(join(data, name), owner.uid, owner.gid);
  }
  const named = Object.entries(files).map(([setting, [, name]]) => [setting, name]);
  return { listen_addresses: "127.0.0.1", port: `${port}`, ssl: "on", ...Object.fromEntries(named) };
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

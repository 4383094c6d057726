import { spawn, spawnSync } from "node:child_process";
import { connect, createServer, type NetConnectOpts, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import { untilSeen } from "../../scripts/awaited.ts";

/** A machine of its own, as far as this one allows. */
export interface Machine {
  /** What stands before a command line that is to run on it. */
  readonly prefix: readonly string[];
  /** The address under which it finds what listens here. */
  readonly address: string;
}

export interface Machines {
  /** What they are, for those who read the output of the test. */
  readonly how: "network namespaces" | "roots and ports of one machine";
  readonly all: readonly Machine[];
}

const ip = (...args: readonly string[]): boolean => spawnSync("ip", args, { stdio: "ignore" }).status === 0;

/** Network namespaces with a line to here each; where that is not allowed, this machine itself. */
export function openMachines(count: number): Machines {
  const names = Array.from({ length: count }, (_, at) => `troupe-${process.pid}-${at}`);
  const remove = () => {
    for (const name of names) spawnSync("ip", ["netns", "del", name], { stdio: "ignore" });
  };
  // A subnet that nothing else has; each process of the tests takes another.
  const net = `10.${64 + (process.pid % 128)}`;
  const made = names.every((name, at) => {
    const [here, there] = [`tr${process.pid}h${at}`, `tr${process.pid}n${at}`];
    return (
      ip("netns", "add", name) &&
      ip("link", "add", here, "type", "veth", "peer", "name", there, "netns", name) &&
      ip("addr", "add", `${net}.${at}.1/30`, "dev", here) &&
      ip("link", "set", here, "up") &&
      ip("-n", name, "addr", "add", `${net}.${at}.2/30`, "dev", there) &&
      ip("-n", name, "link", "set", there, "up") &&
      ip("-n", name, "link", "set", "lo", "up")
    );
  });
  if (made) {
    onTestFinished(remove);
    const all = names.map((name, at) => ({ prefix: ["ip", "netns", "exec", name], address: `${net}.${at}.1` }));
    return { how: "network namespaces", all };
  }
  remove();
  return { how: "roots and ports of one machine", all: names.map(() => ({ prefix: [], address: "127.0.0.1" })) };
}

/** What listens at a socket of this machine, for all machines; gives the port. */
export async function relayed(target: NetConnectOpts): Promise<number> {
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const behind = connect(target);
    for (const [one, other] of [
      [client, behind],
      [behind, client],
    ] as const) {
      open.add(one);
      one.on("error", () => {});
      one.on("close", () => {
        open.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "0.0.0.0", resolve));
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return portOf(server.address());
}

/** Repositories below a directory, which all machines reach and push to; gives the port. */
export async function serveRepositories(directory: string): Promise<number> {
  const free = createServer();
  await new Promise<void>((resolve) => free.listen(0, "0.0.0.0", resolve));
  const port = portOf(free.address());
  await new Promise((resolve) => free.close(resolve));
  const options = ["--export-all", "--enable=receive-pack", "--reuseaddr", "--informative-errors"];
  const daemon = spawn("git", ["daemon", ...options, `--port=${port}`, `--base-path=${directory}`, directory], {
    stdio: "ignore",
    detached: true,
  });
  onTestFinished(() => {
    try {
      process.kill(-(daemon.pid ?? 0), "SIGKILL");
    } catch {
      // It has ended.
    }
  });
  await untilSeen(
    "the server of repositories",
    () =>
      new Promise<boolean>((resolve) => {
        const socket = connect(port, "127.0.0.1");
        socket.on("connect", () => resolve(true)).on("error", () => resolve(false));
        socket.on("connect", () => socket.destroy());
      }),
  );
  return port;
}

function portOf(address: ReturnType<ReturnType<typeof createServer>["address"]>): number {
  return address !== null && typeof address === "object" ? address.port : 0;
}

import { mkdtempSync, rmSync } from "node:fs";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { runProcess, startProcess } from "@troupe/process";

export const repository = join(import.meta.dirname, "../../..");
/** The command that users have. */
const troupe = join(repository, "apps/cli/dist/main.js");
export const surroundings: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(process.env).map(([name, value = ""]) => [name, value]),
);

/** A folder with a home and a team of two tasks in it. */
export interface Stage {
  readonly home: string;
  readonly environment: Readonly<Record<string, string>>;
  /** The words of `troupe mcp` for that team. */
  serving(...flags: readonly string[]): readonly string[];
  end(): void;
}

export async function openStage(): Promise<Stage> {
  const home = mkdtempSync(join(tmpdir(), "troupe-mcp-live-"));
  const root = join(home, ".claude");
  const environment = { ...surroundings, HOME: home };
  for (const words of ["team create crew", "task create crew Paint", "task create crew Sweep"]) {
    const args = [troupe, ...words.split(" "), "--root", root];
    const { code, stderr } = await runProcess({
      program: process.execPath,
      args,
      cwd: home,
      environment,
      timeoutMs: 60_000,
      keptBytes: 20_000,
    });
    if (code !== 0) throw new Error(`troupe ${words}: ${stderr}`);
  }
  return {
    home,
    environment,
    serving: (...flags) => [troupe, "mcp", "--root", root, "--team", "crew", ...flags],
    end: () => rmSync(home, { recursive: true, force: true }),
  };
}

export interface Served {
  readonly url: string;
  readonly token: string;
  end(): Promise<void>;
}

/** The team over HTTP. */
export async function serveOverHttp(
  { serving, home, environment }: Stage,
  ...flags: readonly string[]
): Promise<Served> {
  const token = "of-the-conformance-checks";
  const running = startProcess({
    program: process.execPath,
    args: serving(...flags, "--http", "0", "--json"),
    cwd: home,
    environment: { ...environment, TROUPE_MCP_TOKEN: token },
  });
  for await (const line of createInterface({ input: running.output })) {
    const { url } = JSON.parse(line);
    return { url, token, end: () => running.end() };
  }
  throw new Error("troupe mcp ended before it listened");
}

/** The same address without its token, for a client that can show none. */
export async function withToken({ url, token }: Served): Promise<Served> {
  const { port } = new URL(url);
  const server = createServer((asked, response) => {
    const own = String((server.address() as AddressInfo).port);
    // What is meant for this place is meant for the server; foreign names go on as they are.
    const inside = (value: string | undefined) =>
      value?.replace(new RegExp(`(127\\.0\\.0\\.1|localhost):${own}$`), `$1:${port}`);
    const { host, origin } = asked.headers;
    const headers = {
      ...asked.headers,
      authorization: `Bearer ${token}`,
      host: inside(host) ?? "",
      ...(origin !== undefined && { origin: inside(origin) }),
    };
    const { method, url: path } = asked;
    const passed = request({ host: "127.0.0.1", port, path, method, headers, setHost: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    passed.on("error", () => response.destroy());
    asked.pipe(passed);
    response.on("close", () => passed.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    token: "",
    async end() {
      server.closeAllConnections();
      server.close();
    },
  };
}

import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A server in front of the real one, which can lose what that answers. */
export interface Proxy {
  readonly url: string;
  /** The next commit is done, and its answer never comes. */
  loseNextCommit(): void;
  close(): Promise<void>;
}

export async function openProxy(url: string): Promise<Proxy> {
  const directory = mkdtempSync(join(tmpdir(), "pg-"));
  const real = new URL(url);
  const target = join(real.searchParams.get("host") ?? "", ".s.PGSQL.5432");
  const open = new Set<Socket>();
  let isLosing = false;
  const server = createServer((client) => {
    const behind = connect(target);
    let isMute = false;
    open.add(client);
    client.on("data", (bytes) => {
      if (isLosing && bytes.includes("commit\0")) {
        isLosing = false;
        isMute = true;
      }
      behind.write(bytes);
    });
    behind.on("data", (bytes) => {
      if (isMute) client.destroy();
      else client.write(bytes);
    });
    for (const [one, other] of [[client, behind] as const, [behind, client] as const]) {
      one.on("error", () => {});
      one.on("close", () => other.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(join(directory, ".s.PGSQL.5432"), resolve));
  const proxied = new URL(url);
  proxied.searchParams.set("host", directory);
  return {
    url: proxied.href,
    loseNextCommit() {
      isLosing = true;
    },
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      rmSync(directory, { recursive: true });
    },
  };
}

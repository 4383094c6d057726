import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";

/** A network between a client and the server, with the faults that networks have. */
export interface Network {
  /** The server through this network, over TCP. */
  readonly url: string;
  /** The next commit is done, be it that of one call, and its answer never comes. */
  loseNextCommit(): void;
  /** Nothing passes any more, either way, until it is healed; no end learns of that. */
  part(): void;
  heal(): void;
  /** The connections that are open carry nothing ever again, and no end learns of that. */
  lose(): void;
  /** Ends every connection. */
  cut(): void;
  close(): Promise<void>;
}

export async function openNetwork(url: string): Promise<Network> {
  const real = new URL(url);
  const target = join(real.searchParams.get("host") ?? "", ".s.PGSQL.5432");
  const open = new Set<Socket>();
  const lost = new WeakSet<Socket>();
  let isLosing = false;
  let isParted = false;

  const server = createServer((client) => {
    const behind = connect(target);
    let [isMute, isWithin] = [false, false];
    client.on("data", (bytes) => {
      if (bytes.includes("begin ")) isWithin = true;
      const isWhole = /append_message\(|claim_next\(/.test(bytes.toString("latin1")) && !isWithin;
      if (bytes.includes("rollback\0")) isWithin = false;
      const isCommit = bytes.includes("commit\0");
      if (isCommit) isWithin = false;
      if (isLosing && (isCommit || isWhole)) {
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
      open.add(one);
      if (isParted) one.pause();
      one.on("error", () => {});
      one.on("close", () => {
        open.delete(one);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const proxied = new URL(url);
  proxied.hostname = "127.0.0.1";
  proxied.port = address && typeof address === "object" ? `${address.port}` : "";
  proxied.searchParams.delete("host");

  const cut = () => {
    for (const socket of open) socket.destroy();
  };
  return {
    url: proxied.href,
    loseNextCommit() {
      isLosing = true;
    },
    part() {
      isParted = true;
      for (const socket of open) socket.pause();
    },
    heal() {
      isParted = false;
      for (const socket of open) if (!lost.has(socket)) socket.resume();
    },
    lose() {
      for (const socket of open) lost.add(socket.pause());
    },
    cut,
    async close() {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

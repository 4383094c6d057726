import { createHash, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/** Where a browser comes back to after a login. */
export interface Callback {
  readonly url: string;
  /** What it brought, once that came with the right state; rejects when the signal fires. */
  readonly answer: Promise<URLSearchParams>;
  close(): Promise<void>;
}

/**
 * Listens on the loopback interface for one redirect. A request with another state is somebody
 * else's, and is refused while the wait goes on.
 */
export async function listenForCallback(state: string, port: number, signal: AbortSignal): Promise<Callback> {
  let resolve: (answer: URLSearchParams) => void = () => {};
  const answer = new Promise<URLSearchParams>((keep, reject) => {
    resolve = keep;
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
  // Nobody may be waiting yet when it fires.
  answer.catch(() => {});
  const server = createServer((request, response) => {
    const found = paramsOf(request, at());
    const isRight = found !== undefined && isSame(found.get("state") ?? "", state);
    response.writeHead(isRight ? 200 : 400, { "content-type": "text/plain; charset=utf-8", connection: "close" });
    response.end(
      isRight
        ? "You can close this window and go back to the terminal.\n"
        : "This is no answer to the login that was begun.\n",
    );
    if (isRight) resolve(found);
  });
  const at = () => (server.address() as AddressInfo | null)?.port ?? 0;
  server.listen(port, "127.0.0.1");
  await once(server, "listening", { signal });
  return {
    url: `http://127.0.0.1:${at()}/callback`,
    answer,
    async close() {
      server.closeAllConnections();
      server.close();
      if (server.listening) await once(server, "close");
    },
  };
}

/** Of a request by a browser that was sent here and not to another name of this machine. */
function paramsOf({ method, url = "", headers }: IncomingMessage, port: number): URLSearchParams | undefined {
  if (method !== "GET" || headers.host !== `127.0.0.1:${port}` || !URL.canParse(url, "http://127.0.0.1"))
    return undefined;
  const { pathname, searchParams } = new URL(url, "http://127.0.0.1");
  return pathname === "/callback" ? searchParams : undefined;
}

const digest = (text: string) => createHash("sha256").update(text).digest();
const isSame = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other));

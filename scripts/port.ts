import { createServer } from "node:net";

/** Below what systems give to connections, and to servers that leave the choice to them. */
const [lowest, many] = [20_000, 10_000];

/**
 * A port for a server that goes and comes back, or that nobody shall answer at afterwards: one that
 * the system chose may be another program's by then.
 */
export async function portToKeep(): Promise<number> {
  for (;;) {
    const port = lowest + Math.floor(Math.random() * many);
    const isFree = await new Promise<boolean>((resolve) => {
      const server = createServer().once("error", () => resolve(false));
      server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
}

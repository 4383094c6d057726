import { afterAll, beforeAll } from "vitest";
import { describeUnless } from "../require.ts";
import { installServer } from "./installed.ts";
import { type Server, startServer } from "./server.ts";

/** A suite with a server of its own. */
export async function describeWithServer(name: string, suite: (server: () => Server) => void): Promise<void> {
  const installed = await installServer();
  const missing = "missing" in installed ? installed.missing : undefined;
  describeUnless(missing, "postgres", name, () => {
    let server: Server | undefined;
    beforeAll(async () => {
      if ("programs" in installed) server = await startServer(installed);
    });
    afterAll(() => server?.stop());
    suite(() => {
      if (server) return server;
      throw new Error("the server is not started yet: ask for it in a test");
    });
  });
}

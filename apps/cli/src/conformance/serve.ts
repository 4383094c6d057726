import type { Call } from "../command.ts";
import { openStore } from "../open.ts";
import { serveAdapter } from "./adapter.ts";

export async function run(call: Call): Promise<undefined> {
  const { root, environment, streams, version } = call;
  const revision = environment["CONFORMANCE_REVISION"] === "2026-11" ? "2026-11" : "2026-02";
  const open = (root: string) => openStore({ ...call, root });
  await serveAdapter({ root, revision, version, open, ...streams });
  streams.input.destroy();
}

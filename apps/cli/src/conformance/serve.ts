import type { Call } from "../command.ts";
import { serveAdapter } from "./adapter.ts";

export async function run({ root, environment, streams, version }: Call): Promise<undefined> {
  const revision = environment["CONFORMANCE_REVISION"] === "2026-11" ? "2026-11" : "2026-02";
  await serveAdapter({ root, revision, version, ...streams });
  streams.input.destroy();
}

// A server to measure on, on the disk of this machine: says its address, or why there is none, and
// ends with its input.
import { realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { installServer } from "./installed.ts";
import { startServer } from "./server.ts";

const installed = await installServer();
if ("missing" in installed) console.log(JSON.stringify(installed));
else {
  const server = await startServer(installed, { below: realpathSync(tmpdir()) });
  const { url } = await server.newPlace();
  process.stdin.once("close", () => void server.stop());
  process.stdin.resume();
  console.log(JSON.stringify({ url }));
}

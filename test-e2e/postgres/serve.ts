// A server to measure on, on the disk of this machine: says its address, or why there is none, and
// ends with its input.
import { chmodSync, chownSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { installServer, owner } from "./installed.ts";
import { startServer } from "./server.ts";

const installed = await installServer();
if ("missing" in installed) console.log(JSON.stringify(installed));
else {
  const server = await startServer(installed, { below: realpathSync(tmpdir()) });
  const { url } = await server.newPlace();
  reachableFromInside(url);
  process.stdin.once("close", () => void server.stop());
  process.stdin.resume();
  console.log(JSON.stringify({ url }));
}

/** Root of a user namespace is no other user's equal: it reaches the socket as one of our group. */
function reachableFromInside(url: string): void {
  const directory = new URL(url).searchParams.get("host");
  if (owner.uid === undefined || directory === null) return;
  chownSync(directory, owner.uid, process.getgid?.() ?? owner.gid);
  chmodSync(directory, 0o750);
}

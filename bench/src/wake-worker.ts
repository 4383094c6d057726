import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { setTimeout as sleep } from "node:timers/promises";
import { codecFor } from "@troupe/protocol";
import { openInbox } from "@troupe/store/files";

/**
 * What is asked of the sender: so many messages, one after the other, with a rest after so many.
 */
export interface Order {
  readonly messages: number;
  readonly burst: number;
}

/** When the last message was about to become visible, by the clock that all processes share. */
export interface Sent {
  readonly renamedAt: bigint;
}

const [path = ""] = process.argv.slice(2);
const codec = codecFor("2026-02");
const inbox = openInbox({ path, codec });

let renamedAt = 0n;
const { renameSync } = fs;
Object.assign(fs, {
  renameSync(from: string, to: string) {
    renamedAt = process.hrtime.bigint();
    renameSync(from, to);
  },
});
syncBuiltinESMExports();

process.on("message", async ({ messages, burst }: Order) => {
  for (let n = 1; n <= messages; n += 1) {
    const messageId = crypto.randomUUID();
    const timestamp = "2026-02-13T10:45:20.631Z";
    await inbox.append(
      codec.newEntry({ from: { name: "bob" }, content: { text: "x".repeat(300) }, timestamp, messageId }),
    );
    if (n % burst === 0 && n < messages) await sleep(n % 20);
  }
  process.send?.({ renamedAt } satisfies Sent);
});

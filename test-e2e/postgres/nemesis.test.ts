import { expect, test } from "vitest";
import { nemesis } from "./nemesis.ts";
import { describeWithServer } from "./suite.ts";

const seconds = Number(process.env["TROUPE_NEMESIS"] ?? 14);
const seed = Number(process.env["TROUPE_NEMESIS_SEED"] ?? 1);
/** A history of more cannot be judged. */
const roundSeconds = 60;

await describeWithServer("a store whose clients, server and networks fail", (server) => {
  const rounds = Math.ceil(seconds / roundSeconds);
  test("loses nothing that it acknowledged, doubles nothing, and lets nobody have what another has", {
    timeout: (seconds + 120 * rounds) * 1_000,
  }, async () => {
    for (let round = 0; round < rounds; round += 1) {
      const { faults, counts } = await nemesis(server(), {
        seconds: Math.min(seconds, roundSeconds),
        seed: seed + round,
      });
      if (seconds > roundSeconds) console.log(`round ${round + 1} of ${rounds}, seed ${seed + round}:`, counts);
      expect(faults, `with TROUPE_NEMESIS_SEED=${seed + round}`).toEqual([]);
      expect(counts["ok"]).toBeGreaterThan(20);
    }
  });
});

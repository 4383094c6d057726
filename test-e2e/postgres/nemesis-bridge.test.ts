import { expect, test } from "vitest";
import { race } from "./bridge/race.ts";
import { describeWithServer } from "./suite.ts";

const seconds = Number(process.env["TROUPE_NEMESIS"] ?? 6);
const seed = Number(process.env["TROUPE_NEMESIS_SEED"] ?? 1);
const roundSeconds = 60;

await describeWithServer("clients of files on three machines whose bridges and server fail", (server) => {
  const rounds = Math.ceil(seconds / roundSeconds);
  test("lose no message, have none twice or out of order, and no task is had by two", {
    timeout: (seconds + 180 * rounds) * 1_000,
  }, async () => {
    for (let round = 0; round < rounds; round += 1) {
      const { faults, counts } = await race(server(), {
        seconds: Math.min(seconds, roundSeconds),
        seed: seed + round,
        revision: round % 2 === 0 ? "2026-02" : "2026-11",
      });
      if (seconds > roundSeconds) console.log(`round ${round + 1} of ${rounds}, seed ${seed + round}:`, counts);
      expect(faults, `with TROUPE_NEMESIS_SEED=${seed + round}`).toEqual([]);
      expect(counts["sent"]).toBeGreaterThan(20);
      expect(counts["claimed"]).toBeGreaterThan(0);
    }
  });
});

import { join } from "node:path";
import { expect, test } from "vitest";
import { ended, main, openTroupe } from "../command-line.ts";
import { describeWithServer } from "./suite.ts";

/**
 * Asked of each: a few checks, or vectors, documents, rules and races. Locks, modes and left-over
 * files are of the adapter's mirror, where they say nothing of the database.
 */
const few = ["CLAIM-LOWEST", "DEP-CYCLE", "INB-UNKNOWN", "CFG-UNKNOWN"];
const all = ["VEC", "DOC", "TORN", "TEAM", "CFG", "CLAIM", "DEP", "INB", "MEM", "TSK"];
const wholeMs = 1_800_000;
const asked = process.env["TROUPE_CONFORMANCE"] === "whole" ? all : few;

await describeWithServer("a store on PostgreSQL under the conformance suite", (server) => {
  const { home, begin } = openTroupe();

  test.each(["2026-02", "2026-11"])(
    "breaks no clause that the suite asks it about (%s)",
    async (revision) => {
      const { url } = await server().newPlace();
      const adapter = join(import.meta.dirname, "../dist/postgres/mirrored-adapter.mjs");
      const target = `${process.execPath} ${adapter} ${new URL(url).searchParams.get("host")} ${main}`;
      const only = asked.flatMap((prefix) => ["--only", prefix]);
      // In a network of its own it would be nobody that may open the socket.
      const known = join(import.meta.dirname, "conformance.yaml");
      const fixed = ["--target", target, "--baseline", known, "--revision", revision, "--network"];
      const words = ["conformance", "run", ...fixed, ...only];
      const { status, stdout } = await ended(begin(words, {}, home));
      expect({ status, passed: Number(/(\d+) passed/.exec(stdout)?.[1] ?? 0) >= 2 }, stdout).toEqual({
        status: 0,
        passed: true,
      });
    },
    wholeMs,
  );
});

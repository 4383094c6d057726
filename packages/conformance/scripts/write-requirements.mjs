// Freezes the clauses of the protocol as data: node scripts/write-requirements.mjs
// <requirements.md> The file holds tables with the columns id, level, rev, Lv, requirement, source,
// check. Run it once per revision of the protocol.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";

const [file] = process.argv.slice(2);
if (!file) throw new Error("usage: node scripts/write-requirements.mjs <requirements.md>");

/** @param {string} text */
const sha256 = (text) => createHash("sha256").update(text).digest("hex");
const revisions = new Map([
  ["02", "2026-02"],
  ["11", "2026-11"],
]);

const rows = readFileSync(file, "utf8")
  .split("\n")
  .flatMap((line) => {
    const cells = line.split("|").map((cell) => cell.trim());
    const [, id = "", obligation, rev = "", level, text = "", source, codes = ""] = cells;
    if (!/^ATP-[A-Z]+-[0-9]{3}$/.test(id)) return [];
    if (cells.length !== 9) throw new Error(`${id}: a row has seven cells`);
    const binds = [...revisions].flatMap(([short, revision]) => (rev === "both" || rev === short ? [revision] : []));
    return [{ id, obligation, revisions: binds, level, text, source, codes: codes.split(","), sha256: sha256(text) }];
  });

for (const revision of revisions.values()) {
  const binding = rows.filter((row) => row.revisions.includes(revision));
  const set = { revision, sha256: sha256(binding.map((row) => row.sha256).join("")), rows: binding };
  writeFileSync(new URL(`../requirements/${revision}.json`, import.meta.url), `${JSON.stringify(set, undefined, 2)}\n`);
  console.log(`${revision}: ${binding.length} clauses`);
}

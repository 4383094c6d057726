// Copies the published schemas of the documents that are judged, so that the package needs no
// other: node scripts/copy-schemas.mjs
import { copyFileSync, mkdirSync } from "node:fs";

for (const revision of ["2026-02", "2026-11"]) {
  mkdirSync(new URL(`../schemas/${revision}/`, import.meta.url), { recursive: true });
  for (const name of ["team-config", "inbox", "task"]) {
    const file = `${revision}/${name}.json`;
    copyFileSync(new URL(`../../../schemas/${file}`, import.meta.url), new URL(`../schemas/${file}`, import.meta.url));
  }
}

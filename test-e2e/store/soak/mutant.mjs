// node --import ./mutant.mjs?without=<what>: a soak whose workers have one guarantee of the store
// taken away below it, to see that it notices.
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

const { mkdirSync, lstatSync, rmdirSync, renameSync, readFileSync, writeFileSync, rmSync } = fs;
const isLock = (path) => String(path).endsWith(".lock") && !String(path).endsWith("/.lock");

const mutants = {
  /** Everybody has every lock at once. */
  locks() {
    fs.mkdirSync = (path, ...rest) => (isLock(path) ? undefined : mkdirSync(path, ...rest));
    fs.rmdirSync = (path, ...rest) => (isLock(path) ? undefined : rmdirSync(path, ...rest));
    fs.lstatSync = (path, ...rest) => (isLock(path) ? { ino: process.pid, mtimeMs: 1 } : lstatSync(path, ...rest));
  },
  /** Documents are written where they stand. */
  renames() {
    fs.renameSync = (from, to) => {
      if (!String(to).endsWith(".json")) return renameSync(from, to);
      writeFileSync(to, readFileSync(from));
      rmSync(from);
    };
  },
  /** An acknowledged message is now and then not there. */
  acknowledgement() {
    fs.renameSync = (from, to) => (Math.random() < 0.05 ? rmSync(from) : renameSync(from, to));
  },
};
if (process.argv[1]?.endsWith("worker.mjs")) mutants[new URL(import.meta.url).searchParams.get("without")]();
syncBuiltinESMExports();

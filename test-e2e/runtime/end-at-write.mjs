import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { signalSelf } from "../store/signal-self.mjs";

/**
 * Kills this process at the nth write of the files that are meant: before it, in it, when a share
 * of its bytes is on disk, or after it.
 */
export function endAtWrite(isMeant, { place, nth, share }, at) {
  const { openSync, writeSync } = fs;
  const files = new Set();
  let writes = 0;
  fs.openSync = (name, ...how) => {
    const opened = openSync(name, ...how);
    if (isMeant(name)) files.add(opened);
    else files.delete(opened);
    return opened;
  };
  fs.writeSync = (to, bytes, ...rest) => {
    if (files.has(to)) writes += 1;
    if (!files.has(to) || writes !== nth) return writeSync(to, bytes, ...rest);
    at(`${place} a journal write`);
    // Two bytes at least: the first may be the end of a line that another process has left torn.
    if (place === "in") writeSync(to, bytes, 0, 2 + Math.floor(share * (bytes.length - 3)));
    if (place === "after") writeSync(to, bytes);
    return signalSelf("SIGKILL");
  };
  syncBuiltinESMExports();
}

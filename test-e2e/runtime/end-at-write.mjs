import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { signalSelf } from "../store/signal-self.mjs";

/**
 * Kills this process at the nth write of a file: before it, in it, when a share of its bytes is on
 * disk, or after it.
 */
export function endAtWrite(path, { place, nth, share }, at) {
  const { openSync, writeSync } = fs;
  let file;
  let writes = 0;
  fs.openSync = (name, ...how) => {
    const opened = openSync(name, ...how);
    if (name === path) file = opened;
    return opened;
  };
  fs.writeSync = (to, bytes, ...rest) => {
    if (to === file) writes += 1;
    if (to !== file || writes !== nth) return writeSync(to, bytes, ...rest);
    at(`${place} a journal write`);
    // Two bytes at least: the first may be the end of a line that another process has left torn.
    if (place === "in") writeSync(to, bytes, 0, 2 + Math.floor(share * (bytes.length - 3)));
    if (place === "after") writeSync(to, bytes);
    return signalSelf("SIGKILL");
  };
  syncBuiltinESMExports();
}

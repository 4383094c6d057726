import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { isObject, readJson, TroupeError, writeJson } from "@troupe/protocol";
import { readNamedFile } from "@troupe/store/files";
import { realOf } from "../real-path.ts";
import { replaceFile } from "../whole-file.ts";

/**
 * The folders whose settings may run commands. Each has a file of its own, so that two programs
 * that write at once lose nothing.
 */
export interface Trust {
  /** Trusts a folder and everything below it, wherever links to it lie. */
  trust(folder: string): void;
  distrust(folder: string): void;
  /** Whether a folder or one above it is trusted; a folder that does not exist is not. */
  isTrusted(folder: string): boolean;
}

/** `root` is the agents' own directory, `~/.claude` for the reference client. */
export function openTrust(root: string): Trust {
  const directory = join(root, "troupe", "trusted");
  const fileOf = (folder: string): string =>
    join(directory, `${createHash("sha256").update(folder).digest("hex").slice(0, 32)}.json`);

  function isNamed(folder: string): boolean {
    try {
      const { value } = readJson(readNamedFile(fileOf(folder)));
      return isObject(value) && value["folder"] === folder;
    } catch {
      return false;
    }
  }

  return {
    trust(folder) {
      const place = placeOf(folder);
      if (place === undefined)
        throw new TroupeError("arguments_invalid", `${folder} does not exist: name a folder that does`, { folder });
      replaceFile(fileOf(place), writeJson({ folder: place }));
    },
    distrust(folder) {
      rmSync(fileOf(placeOf(folder) ?? folder), { force: true });
    },
    isTrusted(folder) {
      const place = placeOf(folder);
      if (place === undefined) return false;
      for (let at = place; ; at = dirname(at)) {
        if (isNamed(at)) return true;
        if (dirname(at) === at) return false;
      }
    },
  };
}

function placeOf(folder: string): string | undefined {
  try {
    return realOf(folder);
  } catch {
    return undefined;
  }
}

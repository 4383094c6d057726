import { accessSync, constants } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

/** Finds a program on a PATH; entries for the working directory are ignored. */
export function programIn(name: string, path = ""): string | undefined {
  const places = path.split(delimiter).filter(isAbsolute);
  return places.map((place) => join(place, name)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

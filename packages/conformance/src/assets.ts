import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** A file that ships beside the code; `src` and `dist` both stand right below the package. */
export const assetPath = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));

export const assetText = (path: string): string => readFileSync(assetPath(path), "utf8");

export const assetJson = (path: string): unknown => JSON.parse(assetText(path));

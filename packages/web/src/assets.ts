import { readFileSync } from "node:fs";

/** A file of the page, the same for everybody. */
export interface Asset {
  readonly type: string;
  readonly body: Buffer;
}

/** The files of the page by their paths; nothing else of the disk is served. */
export type Assets = ReadonlyMap<string, Asset>;

const files = [
  ["/", "index.html", "text/html; charset=utf-8"],
  ["/app.js", "app.js", "text/javascript; charset=utf-8"],
  ["/app.css", "app.css", "text/css; charset=utf-8"],
  ["/icon.svg", "icon.svg", "image/svg+xml"],
] as const;

/** Reads the page that the build has put into a directory. */
export const readAssets = (directory: URL): Assets =>
  new Map(files.map(([path, file, type]) => [path, { type, body: readFileSync(new URL(file, directory)) }]));

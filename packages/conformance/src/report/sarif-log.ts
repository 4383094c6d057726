import { plain } from "./plain.ts";

/** A SARIF 2.1.0 log of one run; its texts steer no reader. */
export function sarifLog(run: object): string {
  const log = { $schema: "https://json.schemastore.org/sarif-2.1.0.json", version: "2.1.0", runs: [run] };
  const visible = (_: string, value: unknown) => (typeof value === "string" ? plain(value) : value);
  return `${JSON.stringify(log, visible, 2)}\n`;
}

/** A path as a URI below the directory that a log is about; it leads nowhere else. */
export const sarifUri = (path: string): string =>
  path
    .split("/")
    .filter((segment) => segment !== "" && segment !== "." && segment !== "..")
    .map((segment) => encodeURIComponent(segment.toWellFormed()))
    .join("/");

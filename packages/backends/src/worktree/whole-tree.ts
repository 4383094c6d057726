import { lstatSync, readdirSync, readlinkSync } from "node:fs";
import { TroupeError } from "@troupe/protocol";

/** A file or link of a worktree, with a name in the form that git reads from its input. */
export interface Found {
  readonly mode: "100644" | "100755" | "120000";
  readonly name: string;
  /** Where a link leads. */
  readonly link?: Uint8Array;
  /** Differs once the file was written. */
  readonly state: string;
}

const slash = Buffer.from("/");

/**
 * All files and links of a worktree, whatever git thinks of them. A repository in it is refused:
 * its commits cannot be kept with the files.
 */
export function filesIn(root: string): readonly Found[] {
  const found: Found[] = [];
  walk(Buffer.from(root), undefined);
  return found;

  function walk(directory: Buffer, above: Buffer | undefined): void {
    for (const entry of readdirSync(directory, { withFileTypes: true, encoding: "buffer" })) {
      const path = Buffer.concat([directory, slash, entry.name]);
      const name = above ? Buffer.concat([above, slash, entry.name]) : entry.name;
      if (entry.name.toString("latin1") === ".git") {
        if (above) throw repositoryAt(directory.toString());
      } else if (entry.isDirectory()) walk(path, name);
      else if (entry.isSymbolicLink() || entry.isFile()) found.push(fileAt(path, name));
    }
  }
}

function fileAt(path: Buffer, name: Buffer): Found {
  const { mode, size, mtimeNs, ctimeNs, ino } = lstatSync(path, { bigint: true });
  const one = { name: quoted(name), state: `${name.toString("latin1")} ${size} ${mtimeNs} ${ctimeNs} ${ino}` };
  if ((mode & 0o170000n) === 0o120000n)
    return { ...one, mode: "120000", link: readlinkSync(path, { encoding: "buffer" }) };
  return { ...one, mode: (mode & 0o111n) === 0n ? "100644" : "100755" };
}

/** Any bytes, in the words of C. */
const quoted = (name: Buffer): string =>
  `"${[...name].map((byte) => (isPlain(byte) ? String.fromCharCode(byte) : `\\${byte.toString(8).padStart(3, "0")}`)).join("")}"`;

/** Printable ASCII but for the quote and the backslash. */
const isPlain = (byte: number): boolean => byte >= 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c;

const repositoryAt = (path: string): TroupeError =>
  new TroupeError(
    "document_unwritable",
    `${path} is a repository of its own, whose commits would be lost: push them and move it away, then retry`,
    { path },
  );

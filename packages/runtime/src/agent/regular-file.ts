import { constants, type Stats } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";

/** An open file, or why it cannot be read and what to do instead. */
export type Opened = { readonly file: FileHandle; readonly stats: Stats } | { readonly reason: string };

/**
 * Opens what is a file and nothing else: a pipe is not even opened, since that lets its writer go
 * on.
 */
export async function openRegular(path: string): Promise<Opened> {
  try {
    const found = reasonAgainst(path, await stat(path));
    if (found !== undefined) return { reason: found };
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = await file.stat();
    const reason = reasonAgainst(path, stats);
    if (reason === undefined) return { file, stats };
    await file.close();
    return { reason };
  } catch (error) {
    return { reason: reasonOf(path, error) };
  }
}

function reasonAgainst(path: string, stats: Stats): string | undefined {
  if (stats.isFile()) return undefined;
  if (stats.isDirectory()) return `${path} is a directory; list it with Glob, or with ls.`;
  return `${path} is a pipe, a socket or a device, and such a file has no end; only regular files are read and written.`;
}

function reasonOf(path: string, error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "ENOENT" || code === "ENOTDIR") return `${path} does not exist; look for it with Glob.`;
  if (code === "EACCES" || code === "EPERM") return `${path} may not be read by this user.`;
  if (code === "ELOOP") return `${path} is a link that leads to itself.`;
  return `${path} cannot be opened: ${message}`;
}

import { readNamedFile } from "@troupe/store/files";

/** The bytes of a file, or why there are none. */
export type Given = { readonly bytes: Uint8Array } | { readonly fault: string; readonly isAbsent: boolean };

/**
 * Reads what a clone may have brought: a pipe or a device makes nobody wait, and no more than the
 * limit is taken in.
 */
export function readGiven(file: string, limit: number): Given {
  try {
    return { bytes: readNamedFile(file, limit) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return { fault: faultOf(error), isAbsent: code === "ENOENT" || code === "ENOTDIR" };
  }
}

/** Why a file or directory cannot be read, in words that need no path. */
export function faultOf(error: unknown): string {
  const { code, message, details } = error as NodeJS.ErrnoException & { details?: { limit?: number } };
  if (code === "document_unreadable")
    return details?.limit ? `it has more than ${details.limit} bytes` : "it is not a file";
  if (code === "EISDIR") return "it is not a file";
  if (code === "ENOENT") return "it is a broken link";
  if (code === "ELOOP") return "it is a link to itself";
  if (code === "ENOTDIR") return "it is not a directory";
  if (code === "EACCES" || code === "EPERM") return "this user may not read it";
  return message;
}

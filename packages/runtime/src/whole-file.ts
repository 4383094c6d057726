import { isTroupeError, messageOf, TroupeError } from "@troupe/protocol";
import { publishAlone } from "@troupe/store/files";
import { inRealDirectory } from "./real-path.ts";

/**
 * Puts a whole new file in the place of an old one, with the old one's permissions, and makes its
 * directory. Durable, it survives a loss of power.
 */
export function replaceFile(file: string, text: string, { isDurable = true, mode = 0o600 } = {}): void {
  try {
    publishAlone(inRealDirectory(file), text, { isDurable, mode });
  } catch (cause) {
    if (isTroupeError(cause)) throw cause;
    throw new TroupeError(
      "document_unwritable",
      `${file} could not be written: ${messageOf(cause)}`,
      { path: file },
      cause,
    );
  }
}

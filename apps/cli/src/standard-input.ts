import { TroupeError } from "@troupe/protocol";
import { maxBytes } from "@troupe/store";

/**
 * Reads all of standard input as text; throws above the limit, so that endless input cannot fill
 * the memory.
 */
export async function readAll(input: NodeJS.ReadableStream, limit: number = maxBytes): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of input) {
    chunks.push(Buffer.from(chunk));
    size += Buffer.byteLength(chunk);
    if (size <= limit) continue;
    const message = `standard input is larger than the limit of ${limit} bytes`;
    throw new TroupeError("document_unreadable", message, { limit });
  }
  return Buffer.concat(chunks).toString("utf8");
}

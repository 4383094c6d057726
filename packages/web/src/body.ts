import type { IncomingMessage } from "node:http";

/** What came: its JSON, or why there is none. */
export type Body = { readonly json: unknown } | "too_long" | "no_json" | "cut_off";

/** Reads no more than is allowed, whatever the client says that it sends. */
export function bodyOf(request: IncomingMessage, longest: number): Promise<Body> {
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise((resolve) => {
    if (Number(request.headers["content-length"] ?? 0) > longest) return resolve("too_long");
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= longest) chunks.push(chunk);
      else resolve("too_long");
    });
    request.on("end", () => resolve(parsed(Buffer.concat(chunks).toString("utf8"))));
    request.on("error", () => resolve("cut_off"));
    request.on("close", () => resolve("cut_off"));
  });
}

function parsed(text: string): Body {
  try {
    return { json: JSON.parse(text) };
  } catch {
    return "no_json";
  }
}

import type { Codec } from "@troupe/protocol";

const attempts = 1_000;

/**
 * The messages before the place where an inbox was cut off: what was written whole is kept, however the rest was lost. In the layout
 * of every known writer a message ends in a line of its own; elsewhere any brace may be its end.
 */
export function mendedEntries(bytes: Uint8Array, codec: Codec): readonly unknown[] {
  const text = new TextDecoder().decode(bytes);
  const upTo = (end: number) => codec.readInbox(`${text.slice(0, end)}\n]`).raw;
  const ownLine = text.lastIndexOf("\n  }");
  const whole = ownLine < 0 ? undefined : upTo(ownLine + "\n  }".length);
  if (whole) return whole;
  let end = text.length;
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    end = text.lastIndexOf("}", end - 1);
    if (end < 0) break;
    const entries = upTo(end + 1);
    if (entries) return entries;
  }
  return [];
}

import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

export interface Guarded {
  readonly port: number;
  readonly token: string;
}

/** Why a request is turned away; undefined for one that may come in. */
export function refusalOf(headers: IncomingHttpHeaders, { port, token }: Guarded): Refusal | undefined {
  const own = new Set(["127.0.0.1", "localhost"].map((name) => `${name}:${port}`));
  // A page whose name was pointed at this machine sends that name.
  if (!own.has(headers.host ?? "")) return { status: 403, message: `the Host must be 127.0.0.1:${port}` };
  const { origin } = headers;
  if (origin !== undefined && ![...own].some((one) => origin === `http://${one}`))
    return { status: 403, message: "requests from the pages of others are not answered" };
  const [, given = ""] = /^Bearer ([\x21-\x7e]+)$/.exec(headers.authorization ?? "") ?? [];
  if (!isSame(given, token)) return { status: 401, message: "the header Authorization needs: Bearer and the token" };
  return undefined;
}

export interface Refusal {
  readonly status: 401 | 403;
  readonly message: string;
}

/** In a time that says nothing about where they differ. */
const isSame = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other));

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

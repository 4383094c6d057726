import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

/** What a request must show, and where. */
export interface Gate {
  readonly port: number;
  /** What the person was given, which is shown once for a cookie. */
  readonly token: string;
  /** The value of the cookie. */
  readonly pass: string;
}

export interface Refusal {
  readonly status: 400 | 401 | 403 | 404 | 405 | 413 | 415;
  readonly message: string;
}

type Asked = {
  readonly method?: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
};

/** The names under which a browser of this machine reaches us. */
const hosts = ["127.0.0.1", "localhost", "[::1]"];

/** Why a request is turned away, whatever it asks for. */
export function strangerIn(asked: Asked, { port }: Pick<Gate, "port">): Refusal | undefined {
  const { host, origin } = asked.headers;
  const own = hosts.map((name) => `${name}:${port}`);
  // A page whose name was pointed at this machine sends that name; two of them say nothing.
  if (!own.includes(host ?? "") || count(asked, "host") !== 1)
    return { status: 403, message: `the Host must be 127.0.0.1:${port}` };
  if (origin !== undefined && origin !== `http://${host}`)
    return { status: 403, message: "requests from the pages of others are not answered" };
  if (asked.method !== "GET" && asked.method !== "POST")
    return { status: 405, message: "only GET and POST are answered" };
  return undefined;
}

const count = ({ rawHeaders }: Asked, name: string): number =>
  rawHeaders.filter((word, at) => at % 2 === 0 && word.toLowerCase() === name).length;

/** Cookies of other ports of this machine come too, so ours has a name of its own. */
const cookieOf = ({ port }: Pick<Gate, "port">): string => `troupe-${port}`;

/** The header that gives the cookie; no script can read it, and no other site sends it. */
export const givenCookie = (gate: Gate): string => `${cookieOf(gate)}=${gate.pass}; HttpOnly; SameSite=Strict; Path=/`;

export const mayEnter = ({ token }: Gate, shown: unknown): boolean => typeof shown === "string" && isSame(shown, token);

/** Why a request may not see or do anything of the teams. */
export function lockedOut({ headers }: Asked, gate: Gate): Refusal | undefined {
  const { "sec-fetch-site": site = "none" } = headers;
  // A page of another port of this machine is of the same site: its requests have our cookie.
  if (site !== "same-origin" && site !== "none")
    return { status: 403, message: "requests from the pages of others are not answered" };
  const all = (headers.cookie ?? "").split(/; */);
  const given = all.flatMap((one) =>
    one.startsWith(`${cookieOf(gate)}=`) ? [one.slice(cookieOf(gate).length + 1)] : [],
  );
  if (given.length === 1 && isSame(given[0] ?? "", gate.pass)) return undefined;
  return { status: 401, message: "open the address that troupe web has printed: it ends with a token" };
}

/** Why a request with a body is not read. */
export function unreadable({ headers }: Asked): Refusal | undefined {
  if (/^application\/json(?: *; *charset=utf-8)?$/i.test(headers["content-type"] ?? "")) return undefined;
  return { status: 415, message: "the Content-Type must be application/json" };
}

/** In a time that says nothing about where they differ. */
const isSame = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other));

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

/** What every answer says, so that a page of others can do nothing  */
export const guardHeaders: Readonly<Record<string, string>> = {
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; "),
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "x-frame-options": "DENY",
  "cache-control": "no-store",
};

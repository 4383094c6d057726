import { token } from "./place.ts";

/** A request that must come to nothing. */
export interface Attack {
  readonly name: string;
  /** With the cookie of the person, as their browser sends it; else without. */
  readonly isKnown: boolean;
  readonly line: string;
  readonly headers: readonly string[];
  readonly body?: string;
  readonly status: number;
}

type Port = number;
type Make = (port: Port) => Attack;

const attack = (
  name: string,
  status: number,
  line: string,
  headers: (port: Port) => readonly string[],
  { isKnown = true, body }: { readonly isKnown?: boolean; readonly body?: string } = {},
): Make => {
  return (port) => ({ name, isKnown, line, headers: headers(port), status, ...(body !== undefined && { body }) });
};

const own = (port: Port) => [`Host: 127.0.0.1:${port}`];
const json = (port: Port) => [...own(port), "Content-Type: application/json"];
const look = "GET /api/teams";
const send = "POST /api/team/crew/send";
const words = JSON.stringify({ to: "ann", text: "do what I say" });

const ofHost = (name: string, host: (port: Port) => string): Make =>
  attack(`the host ${name}`, 403, look, (port) => [`Host: ${host(port)}`]);

const hosts: readonly Make[] = [
  ofHost("of a rebound name", (port) => `evil.example:${port}`),
  ofHost("of another name without a port", () => "evil.example"),
  ofHost("without a port", () => "127.0.0.1"),
  ofHost("with another port", (port) => `127.0.0.1:${port + 1}`),
  ofHost("that begins like ours", (port) => `127.0.0.1.evil.example:${port}`),
  ofHost("127.attacker.example", (port) => `127.attacker.example:${port}`),
  ofHost("that begins with localhost", (port) => `localhost.evil.example:${port}`),
  ofHost("that goes on behind the port", (port) => `localhost:${port}.evil.example`),
  ofHost("that ends like ours", (port) => `evil-localhost:${port}`),
  ofHost("with ours behind a mark", (port) => `evil.example#127.0.0.1:${port}`),
  ofHost("with a user before it", (port) => `evil@127.0.0.1:${port}`),
  ofHost("with ours as the user", (port) => `127.0.0.1:${port}@evil.example`),
  ofHost("of all addresses", (port) => `0.0.0.0:${port}`),
  ofHost("of all addresses of six", (port) => `[::]:${port}`),
  ofHost("as a short number", (port) => `127.1:${port}`),
  ofHost("as one number", (port) => `2130706433:${port}`),
  ofHost("with a dot at its end", (port) => `localhost.:${port}`),
  ofHost("that is empty", () => ""),
  attack("two hosts", 403, look, (port) => [`Host: 127.0.0.1:${port}`, `Host: evil.example:${port}`]),
  attack("no host", 400, look, () => []),
  attack("a rebound name for the page itself", 403, "GET /", (port) => [`Host: evil.example:${port}`]),
];

const ofOrigin = (name: string, origin: (port: Port) => string, line = look): Make =>
  attack(`the origin ${name}`, 403, line, (port) => [...json(port), `Origin: ${origin(port)}`], { body: words });

const origins: readonly Make[] = [
  ofOrigin("of another page", () => "https://evil.example"),
  ofOrigin("null, as a frame without rights has it", () => "null"),
  ofOrigin("that begins like ours", (port) => `http://127.0.0.1:${port}.evil.example`),
  ofOrigin("of another port of this machine", (port) => `http://127.0.0.1:${port + 1}`),
  ofOrigin("with another scheme", (port) => `https://127.0.0.1:${port}`),
  ofOrigin("of another name of this machine", (port) => `http://localhost:${port}`),
  ofOrigin("of a file", () => "file://"),
  ofOrigin("of another page, for events", () => "https://evil.example", "GET /api/events"),
  ofOrigin("of another page, to send", () => "https://evil.example", send),
  ofOrigin("of another page, to answer", () => "https://evil.example", "POST /api/team/crew/answer"),
  attack(
    "the right token from another page",
    403,
    "POST /session",
    (port) => [...json(port), "Origin: https://evil.example"],
    {
      isKnown: false,
      body: JSON.stringify({ token }),
    },
  ),
  attack("a script that asks across sites", 403, look, (port) => [...own(port), "Sec-Fetch-Site: cross-site"]),
  attack("a page of another port, without an origin", 403, look, (port) => [...own(port), "Sec-Fetch-Site: same-site"]),
  attack("a question before it", 405, `OPTIONS /api/team/crew/send`, (port) => [
    ...own(port),
    "Access-Control-Request-Method: POST",
  ]),
];

const withoutPass = (name: string, line: string, more: (port: Port) => readonly string[] = () => []): Make =>
  attack(name, 401, line, (port) => [...json(port), ...more(port)], { isKnown: false, body: words });
const session = (name: string, body: string): Make =>
  attack(name, 401, "POST /session", json, { isKnown: false, body });

const keys: readonly Make[] = [
  withoutPass("the teams without a cookie", look),
  withoutPass("a team without a cookie", "GET /api/team/crew"),
  withoutPass("mail without a cookie", "GET /api/team/crew/inbox/ann"),
  withoutPass("a conversation without a cookie", "GET /api/team/crew/thread/ann/bob"),
  withoutPass("the log without a cookie", "GET /api/team/crew/log"),
  withoutPass("events without a cookie", "GET /api/events?team=crew"),
  withoutPass("the doctor without a cookie", "GET /api/doctor"),
  withoutPass("a message without a cookie", send),
  withoutPass("a path that is none, without a cookie", "GET /api/nothing"),
  withoutPass("the token in the query", `GET /api/teams?token=${token}`),
  withoutPass("the token as a header", look, () => [`Authorization: Bearer ${token}`]),
  withoutPass("the token as the cookie", look, (port) => [`Cookie: troupe-${port}=${token}`]),
  withoutPass("a guessed cookie", look, (port) => [`Cookie: troupe-${port}=${"q".repeat(43)}`]),
  withoutPass("the beginning of the cookie", look, (port) => [`Cookie: troupe-${port}=${"p".repeat(42)}`]),
  withoutPass("the cookie of another port", look, (port) => [`Cookie: troupe-${port + 1}=${"p".repeat(43)}`]),
  withoutPass("the cookie twice", look, (port) => {
    const one = `troupe-${port}=${"p".repeat(43)}`;
    return [`Cookie: ${one}; ${one}`];
  }),
  session("a wrong token", JSON.stringify({ token: "x".repeat(43) })),
  session("the beginning of the token", JSON.stringify({ token: token.slice(1) })),
  session("a token that is a list", JSON.stringify({ token: [token] })),
  session("no token", "{}"),
  session("null for a body", "null"),
  withoutPass("the token by GET", `GET /session?token=${token}`),
];

const body = (
  name: string,
  status: number,
  headers: (port: Port) => readonly string[],
  text = words,
  line = send,
): Make => attack(name, status, line, headers, { body: text });

const bodies: readonly Make[] = [
  body("a body as text", 415, (port) => [...own(port), "Content-Type: text/plain"]),
  body("a form", 415, (port) => [...own(port), "Content-Type: application/x-www-form-urlencoded"]),
  body("a form of parts", 415, (port) => [...own(port), "Content-Type: multipart/form-data; boundary=x"]),
  body("no type", 415, own),
  body("a type that only begins so", 415, (port) => [...own(port), "Content-Type: application/json-patch"]),
  body("a body of a megabyte", 413, json, JSON.stringify({ to: "ann", text: "x".repeat(1 << 20) })),
  body("a token of a megabyte", 413, json, JSON.stringify({ token: "x".repeat(1 << 20) }), "POST /session"),
  body("half a body", 400, json, words.slice(0, 10)),
  body("a body without what is to be done", 400, json, "{}"),
  body("a body with a prototype", 400, json, '{"__proto__":{"to":"ann","text":"x"}}'),
  body("an answer without a decision", 400, json, '{"request":"r","of":"plan"}', "POST /api/team/crew/answer"),
  body("a task that is given a number", 400, json, '{"id":"1","status":1}', "POST /api/team/crew/task"),
  body("something that is not offered", 400, json, words, "POST /api/team/crew/delete"),
  body("a team that is none", 404, json, words, "POST /api/team/other/send"),
];

const paths: readonly Make[] = [
  attack("another method", 405, "PUT /api/team/crew", own),
  attack("a removal", 405, "DELETE /api/team/crew", own),
  attack("an echo", 405, "TRACE /api/teams", own),
  attack("a file above", 404, "GET /../../etc/passwd", own),
  attack("a file above, in other signs", 404, "GET /%2e%2e/%2e%2e/etc/passwd", own),
  attack("a file beside the page", 404, "GET /app.js/../package.json", own),
  attack("a map of the page", 404, "GET /app.js.map", own),
  attack("a path of another machine", 400, "GET //evil.example/api/teams", own),
  attack("an address for a path", 400, "GET http://evil.example/api/teams", own),
  attack("signs that are none", 400, "GET /api/team/%zz", own),
  attack("a team above", 404, "GET /api/team/..%2f..%2fetc", own),
  attack("a head of thirty kilobytes", 431, look, (port) => [...own(port), `X-Long: ${"x".repeat(30_000)}`]),
  attack("two lengths", 400, send, (port) => [...json(port), "Content-Length: 5", "Transfer-Encoding: chunked"], {
    body: words,
  }),
];

export const attacks: readonly Make[] = [...hosts, ...origins, ...keys, ...bodies, ...paths];

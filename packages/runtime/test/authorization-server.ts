import { createHash, randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import { McpServer } from "@modelcontextprotocol/server";
import { answering, bodyOf, listening } from "./web-server.ts";

/** Codes, tokens and clients that the server knows, and what was asked of it. */
interface Books {
  readonly clients: Map<string, readonly string[]>;
  readonly codes: Map<string, { readonly client: string; readonly redirect: string; readonly challenge: string }>;
  readonly access: Set<string>;
  readonly refresh: Map<string, string>;
  readonly grants: string[];
}

export interface AuthorizationServer {
  readonly url: string;
  /** The kinds of tokens that were asked for, with what came of it. */
  readonly grants: readonly string[];
  /** Access tokens that were given are taken no more. */
  expire(): void;
  /** Nor are those by which others are had. */
  revoke(): void;
}

/**
 * An MCP server on this machine that asks for a login at an authorization server, which it is
 * itself: it registers clients, binds codes to their challenges, gives each token once and renews.
 */
export async function authorizing({ denies = false } = {}): Promise<AuthorizationServer> {
  const books: Books = { clients: new Map(), codes: new Map(), access: new Set(), refresh: new Map(), grants: [] };
  const pass = answering(() => {
    const server = new McpServer({ name: "web", version: "1.0.0" });
    server.registerTool("greet", {}, () => ({ content: [{ type: "text", text: "hi" }] }));
    return server;
  });
  const { url: served } = await listening(async (request, response) => {
    const base = `http://${request.headers.host}`;
    const url = new URL(request.url ?? "/", base);
    const body = await bodyOf(request);
    const json = (value: object, status = 200) =>
      void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
    if (url.pathname.startsWith("/.well-known/oauth-protected-resource"))
      return json({ resource: `${base}/mcp`, authorization_servers: [base] });
    if (url.pathname.startsWith("/.well-known/"))
      return json({
        issuer: base,
        authorization_endpoint: `${base}/authorize`,
        token_endpoint: `${base}/token`,
        registration_endpoint: `${base}/register`,
        response_types_supported: ["code"],
        grant_types_supported: ["authorization_code", "refresh_token"],
        code_challenge_methods_supported: ["S256"],
        token_endpoint_auth_methods_supported: ["none"],
      });
    if (url.pathname === "/register") {
      const asked = JSON.parse(body);
      const client_id = randomUUID();
      books.clients.set(client_id, asked.redirect_uris);
      return json({ ...asked, client_id }, 201);
    }
    if (url.pathname === "/authorize") return authorize(url.searchParams, response);
    if (url.pathname === "/token") return token(new URLSearchParams(body), json);
    if (!books.access.has(request.headers.authorization?.replace("Bearer ", "") ?? ""))
      return void response
        .writeHead(401, {
          "www-authenticate": `Bearer resource_metadata="${base}/.well-known/oauth-protected-resource/mcp"`,
        })
        .end();
    return pass(request, body, response);
  });
  return {
    url: served,
    grants: books.grants,
    expire: () => books.access.clear(),
    revoke() {
      books.access.clear();
      books.refresh.clear();
    },
  };

  function authorize(asked: URLSearchParams, response: ServerResponse): void {
    const [client, redirect, challenge] = ["client_id", "redirect_uri", "code_challenge"].map(
      (name) => asked.get(name) ?? "",
    );
    const isSound =
      books.clients.get(client ?? "")?.includes(redirect ?? "") &&
      asked.get("response_type") === "code" &&
      asked.get("code_challenge_method") === "S256" &&
      challenge !== "";
    if (!isSound) {
      response.writeHead(400).end("this is no request for a login");
      return;
    }
    const back = new URL(redirect ?? "");
    const code = randomUUID();
    if (denies) back.searchParams.set("error", "access_denied");
    else {
      books.codes.set(code, { client: client ?? "", redirect: redirect ?? "", challenge: challenge ?? "" });
      back.searchParams.set("code", code);
    }
    back.searchParams.set("state", asked.get("state") ?? "");
    response.writeHead(302, { location: back.href }).end();
  }

  function token(asked: URLSearchParams, json: (value: object, status?: number) => void): void {
    const kind = asked.get("grant_type") ?? "";
    const client = asked.get("client_id") ?? "";
    const isGood = kind === "refresh_token" ? isRefreshed() : isRedeemed();
    books.grants.push(`${kind} ${isGood ? "given" : "refused"}`);
    const [access_token, refresh_token] = [randomUUID(), randomUUID()];
    if (isGood) {
      books.access.add(access_token);
      books.refresh.set(refresh_token, client);
      json({ access_token, refresh_token, token_type: "Bearer", expires_in: 3_600 });
    } else json({ error: "invalid_grant" }, 400);

    function isRedeemed(): boolean {
      const code = books.codes.get(asked.get("code") ?? "");
      books.codes.delete(asked.get("code") ?? "");
      const challenge = createHash("sha256")
        .update(asked.get("code_verifier") ?? "")
        .digest("base64url");
      return code?.client === client && code.redirect === asked.get("redirect_uri") && code.challenge === challenge;
    }

    function isRefreshed(): boolean {
      const known = asked.get("refresh_token") ?? "";
      return books.refresh.get(known) === client && books.refresh.delete(known);
    }
  }
}

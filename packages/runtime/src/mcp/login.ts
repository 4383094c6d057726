import { randomBytes } from "node:crypto";
import { Client, type OAuthClientProvider, UnauthorizedError } from "@modelcontextprotocol/client";
import { messageOf } from "@troupe/protocol";
import { clientMetadata, hasOwnKey, type SdkLogin } from "./authorization.ts";
import { type Callback, listenForCallback } from "./callback.ts";
import { addressOf, type McpAddress } from "./config.ts";
import type { Credentials } from "./credentials.ts";
import { httpTransport } from "./http.ts";

export interface LoginDeps {
  /** As settings write it. */
  readonly config: unknown;
  /** The values of variables in the config. */
  readonly environment: Readonly<Record<string, string>>;
  readonly credentials: Credentials;
  /** Shows the person the page to log in at. */
  readonly show: (page: URL) => void;
  readonly signal: AbortSignal;
}

export type LoginEnd =
  /** `wasNeeded`: false where the server asks for none. */
  | { readonly isDone: true; readonly wasNeeded: boolean; readonly tools: number }
  | { readonly isDone: false; readonly why: string };

/**
 * Lets a person log in at an MCP server, in a browser that comes back to this machine. The login is
 * kept when the server has taken it.
 */
export async function login({ config, environment, credentials, show, signal }: LoginDeps): Promise<LoginEnd> {
  let callback: Callback | undefined;
  try {
    const address = addressOf(config, environment);
    if (address.kind !== "http") return refused("it is a program on this machine, which needs no login");
    if (hasOwnKey(address)) return refused("its config has a key of its own (headers.Authorization)");
    const state = randomBytes(32).toString("base64url");
    callback = await listenForCallback(state, address.oauth.callbackPort ?? 0, signal);
    const { provider, made } = provided(address, callback.url, state, show);
    const first = httpTransport(address.url, address.headers, provider);
    const tools = await toolsOf(first).catch((error: unknown) => {
      if (error instanceof UnauthorizedError) return undefined;
      throw error;
    });
    if (tools !== undefined) return { isDone: true, wasNeeded: false, tools };
    await first.finishAuth(await callback.answer);
    const found = await toolsOf(httpTransport(address.url, address.headers, provider));
    credentials.write(address.url, made());
    return { isDone: true, wasNeeded: true, tools: found };
  } catch (error) {
    return refused(signal.aborted ? "it was not finished in time" : messageOf(error));
  } finally {
    await callback?.close();
  }

  async function toolsOf(transport: ReturnType<typeof httpTransport>): Promise<number> {
    const client = new Client({ name: "troupe", version: "0.0.0" });
    try {
      await client.connect(transport, { signal });
      return client.getServerCapabilities()?.tools ? (await client.listTools(undefined, { signal })).tools.length : 0;
    } finally {
      // Its session at the server is ended by who goes on with the login.
      if (client.transport) await client.close();
    }
  }
}

/** Removes what is kept of a login from this machine; false where there is none. */
export function forgetLogin({
  config,
  environment,
  credentials,
}: Pick<LoginDeps, "config" | "environment" | "credentials">): boolean {
  const address = addressOf(config, environment);
  return address.kind === "http" && credentials.forget(address.url);
}

const refused = (why: string): LoginEnd => ({ isDone: false, why });

/** A login from its beginning, which nothing reads before it is whole. */
function provided(
  { oauth: { clientId } }: Extract<McpAddress, { kind: "http" }>,
  redirectUrl: string,
  state: string,
  show: (page: URL) => void,
): { readonly provider: OAuthClientProvider; readonly made: () => SdkLogin } {
  let made: SdkLogin = clientId === undefined ? {} : { client: { client_id: clientId } };
  let verifier = "";
  const provider: OAuthClientProvider = {
    redirectUrl,
    clientMetadata: clientMetadata(redirectUrl),
    state: () => state,
    clientInformation: () => made.client,
    saveClientInformation: (client) => {
      made = { ...made, client };
    },
    tokens: () => made.tokens,
    saveTokens: (tokens) => {
      made = { ...made, tokens };
    },
    discoveryState: () => made.discovery,
    saveDiscoveryState: (discovery) => {
      made = { ...made, discovery };
    },
    saveCodeVerifier: (text) => {
      verifier = text;
    },
    codeVerifier: () => verifier,
    redirectToAuthorization(page) {
      if (!/^https?:$/.test(page.protocol))
        throw new Error(`its login is at ${page.protocol}, which no browser should open`);
      show(page);
    },
  };
  return { provider, made: () => made };
}

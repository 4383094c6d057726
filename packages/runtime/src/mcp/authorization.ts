import {
  type OAuthClientMetadata,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  SdkHttpError,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import type { McpAddress } from "./config.ts";
import type { Credentials, Login } from "./credentials.ts";
import { needsLogin } from "./problems.ts";

/** A login with the parts that the SDK reads and writes. */
export interface SdkLogin extends Login {
  readonly client?: StoredOAuthClientInformation | undefined;
  readonly tokens?: StoredOAuthTokens | undefined;
  readonly discovery?: OAuthDiscoveryState | undefined;
}

type HttpAddress = Extract<McpAddress, { kind: "http" }>;

/** What this program tells of itself where it asks for a login. */
export const clientMetadata = (redirect: string): OAuthClientMetadata => ({
  client_name: "Troupe",
  redirect_uris: [redirect],
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  token_endpoint_auth_method: "none",
});

/** A key of the config is meant for the server; nothing is put in its place. */
export const hasOwnKey = ({ headers }: HttpAddress): boolean =>
  Object.keys(headers).some((name) => name.toLowerCase() === "authorization");

/** A person would have to log in, and none is asked for it in the middle of work. */
const ended = () => new UnauthorizedError("its login has ended");

/**
 * Takes part with a login that there is: it is renewed when it has run out, and another process may
 * renew it as well. Undefined where nobody has logged in.
 */
export function authorizationBy({ url }: HttpAddress, credentials: Credentials): OAuthClientProvider | undefined {
  // Written by us alone, so that it is taken for what it was.
  const login = (): SdkLogin => (credentials.read(url) ?? {}) as SdkLogin;
  let used = login().tokens;
  if (!used) return undefined;
  const redirectUrl = "http://127.0.0.1/callback";
  return {
    redirectUrl,
    clientMetadata: clientMetadata(redirectUrl),
    clientInformation: () => login().client,
    tokens() {
      used = login().tokens;
      return used;
    },
    saveTokens: (tokens) => credentials.write(url, { ...login(), tokens }),
    discoveryState: () => login().discovery,
    saveDiscoveryState: (discovery) => credentials.write(url, { ...login(), discovery }),
    // Tokens that another process has renewed meanwhile are not those that were refused.
    invalidateCredentials(scope) {
      const { tokens, ...rest } = login();
      if (scope === "tokens" && tokens?.access_token === used?.access_token) credentials.write(url, rest);
    },
    redirectToAuthorization() {
      throw ended();
    },
    saveCodeVerifier() {},
    codeVerifier() {
      throw ended();
    },
  };
}

/** What a person has to do about an error; empty where that is something else than to log in. */
export function loginHint(error: unknown, address: McpAddress | undefined, name: string): string {
  const isRefused = error instanceof UnauthorizedError || (error instanceof SdkHttpError && error.status === 401);
  if (!isRefused || address?.kind !== "http" || hasOwnKey(address)) return "";
  return `${needsLogin}run "troupe mcp login ${/^[\w.-]+$/.test(name) ? name : `'${name}'`}"`;
}

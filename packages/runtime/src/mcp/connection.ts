import {
  Client,
  type Tool as ListedTool,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  type Transport,
} from "@modelcontextprotocol/client";
import { messageOf } from "@troupe/protocol";
import type { Tool, ToolContext, ToolOutcome } from "../loop/tool.ts";
import { authorizationBy, hasOwnKey, loginHint } from "./authorization.ts";
import { addressOf, type McpAddress } from "./config.ts";
import type { Credentials } from "./credentials.ts";
import { httpTransport } from "./http.ts";
import { toolNames } from "./names.ts";
import { outcomeOf } from "./result.ts";
import { boundedValidator, type Check, checkOf } from "./schema.ts";
import { stdioTransport } from "./stdio.ts";

export interface ConnectionDeps {
  readonly name: string;
  readonly config: unknown;
  readonly environment: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Logins at servers that ask for one. */
  readonly credentials?: Credentials | undefined;
  readonly connectTimeoutMs: number;
  readonly callTimeoutMs: number;
}

/** A server and its tools, whether it is up or not. */
export interface Connection extends Pick<ConnectionDeps, "name" | "config"> {
  /** Resolves when the first attempt has ended: is the server there, with tools? */
  readonly isUsable: Promise<boolean>;
  status(): { readonly state: "connecting" | "connected" | "failed" | "closed"; readonly problem?: string };
  /** The tools it has offered last. */
  tools(): readonly Tool[];
  close(): Promise<void>;
}

/** The most tools of one server that are used. */
const mostTools = 500;
const longestDescription = 2_048;
const longestError = 2_000;

/** Members that only one of the two transports has. */
type Reached = Transport & { lastWords?(): string; terminateSession?(): Promise<void> };

/**
 * Begins to connect at once. A server that ends is started again by the next call, once for each
 * call; a call is never made twice.
 */
export function openConnection(deps: ConnectionDeps): Connection {
  const { name, config, environment, cwd, credentials, connectTimeoutMs, callTimeoutMs } = deps;
  const closing = new AbortController();
  let current: Promise<Client> | undefined;
  let state: "connecting" | "connected" | "failed" = "connecting";
  let problem: string | undefined;
  let address: McpAddress | undefined;
  let tools: readonly Tool[] = [];
  /** Tools of the server's list that are not used, and why. */
  let leftOut: string | undefined;
  const goodbyes = new Set<Promise<unknown>>();

  const isUsable = live().then(
    () => tools.length > 0,
    () => false,
  );
  return {
    name,
    config,
    isUsable,
    status() {
      const shown = problem ?? leftOut;
      return closing.signal.aborted
        ? { state: "closed" }
        : { state, ...(shown === undefined ? {} : { problem: shown }) };
    },
    tools: () => tools,
    async close() {
      closing.abort(new Error("it was closed"));
      const client = await current?.catch(() => undefined);
      if (client) leave(client);
      await Promise.all(goodbyes);
    },
  };

  /** The client that is connected, or the attempt to have one. */
  function live(): Promise<Client> {
    if (closing.signal.aborted) return Promise.reject(closing.signal.reason);
    if (current) return current;
    state = "connecting";
    const attempt = connect(() => {
      if (current === attempt) current = undefined;
    });
    attempt.then(
      () => {
        state = "connected";
        problem = undefined;
      },
      (error) => {
        if (current === attempt) current = undefined;
        fail(wordsOf(error));
      },
    );
    current = attempt;
    return attempt;
  }

  function fail(why: string): void {
    state = "failed";
    problem = why;
  }

  async function connect(forget: () => void): Promise<Client> {
    address = addressOf(config, environment);
    const transport = transportTo(address);
    const lastWords = () => transport.lastWords?.() ?? "";
    const client = new Client(
      { name: "troupe", version: "0.0.0" },
      {
        jsonSchemaValidator: boundedValidator,
        listChanged: { tools: { onChanged: (_, listed) => listed && use(listed) } },
      },
    );
    const options = { timeout: connectTimeoutMs, signal: closing.signal };
    try {
      await client.connect(transport, options);
      // The SDK would say on the console that there are none.
      use(client.getServerCapabilities()?.tools ? (await client.listTools(undefined, options)).tools : []);
    } catch (error) {
      const goodbye = transport.close().catch(() => {});
      goodbyes.add(goodbye);
      await goodbye;
      goodbyes.delete(goodbye);
      throw new Error([loginHint(error, address, name), wordsOf(error), lastWords()].filter(Boolean).join(": "));
    }
    client.onclose = () => {
      forget();
      if (!closing.signal.aborted) fail(`it ended${lastWords() ? `: ${lastWords()}` : ""}`);
    };
    return client;
  }

  function transportTo(to: McpAddress): Reached {
    if (to.kind === "stdio") return stdioTransport({ ...to, cwd });
    const provider = credentials && !hasOwnKey(to) ? authorizationBy(to, credentials) : undefined;
    return httpTransport(to.url, to.headers, provider);
  }

  /** Closes what is not needed any more, and says goodbye where a session is kept for us. */
  function leave(client: Client): void {
    client.onclose = () => {};
    const terminated = (client.transport as Reached | undefined)?.terminateSession?.().catch(() => {});
    const tooLong = new Promise((resolve) => setTimeout(resolve, 1_000).unref());
    const goodbye = Promise.race([terminated, tooLong])
      .then(() => client.close())
      .catch(() => {})
      .finally(() => goodbyes.delete(goodbye));
    goodbyes.add(goodbye);
  }

  function use(listed: readonly ListedTool[]): void {
    const faults = new Map<string, string>();
    const names = toolNames(name, [...new Set(listed.slice(0, mostTools).map((one) => one.name))]);
    const byName = new Map<string, Tool>();
    for (const one of listed.slice(0, mostTools)) {
      const check = checkOf(one.inputSchema);
      if ("problem" in check) faults.set(one.name, check.problem);
      else byName.set(one.name, toolOf(one, names.get(one.name) ?? one.name, check));
    }
    tools = [...byName.values()];
    const rest = listed.length > mostTools ? [`all beyond the first ${mostTools}`] : [];
    const all = [...[...faults].map(([tool, fault]) => `${JSON.stringify(tool)} (${fault})`), ...rest];
    leftOut = all.length > 0 ? `these of its tools are left out: ${all.join(", ")}`.slice(0, longestError) : undefined;
  }

  function toolOf(
    { name: tool, description = "", inputSchema, annotations = {} }: ListedTool,
    shown: string,
    check: Check,
  ): Tool {
    const { $schema: _, ...input_schema } = inputSchema;
    const isReadOnly = annotations.readOnlyHint === true;
    return {
      definition: { name: shown, description: description.slice(0, longestDescription), input_schema },
      ...check,
      isReadOnly,
      isReplayable: isReadOnly || annotations.idempotentHint === true,
      isConcurrent: () => isReadOnly,
      run: (input, context) => call(tool, input, context),
    };
  }

  async function call(tool: string, input: unknown, { signal }: ToolContext): Promise<ToolOutcome> {
    let client: Client;
    try {
      client = await unlessAborted(live(), signal);
    } catch (error) {
      return failed(`is not available: ${wordsOf(error)}`);
    }
    try {
      const options = { signal, timeout: callTimeoutMs };
      return outcomeOf(await client.callTool({ name: tool, arguments: { ...(input as object) } }, options));
    } catch (error) {
      if (signal.aborted) return failed("was told to cancel the call");
      if (error instanceof ProtocolError) return failed(`answered with an error: ${wordsOf(error)}`);
      const code = error instanceof SdkError ? error.code : undefined;
      if (code === SdkErrorCode.RequestTimeout) return failed(`did not answer within ${callTimeoutMs / 1_000} s`);
      if (code === SdkErrorCode.InvalidResult) return failed("gave an invalid answer");
      if (current && (await current.catch(() => undefined)) === client) {
        current = undefined;
        fail([loginHint(error, address, name), wordsOf(error)].filter(Boolean).join(": "));
        leave(client);
      }
      return failed(`was lost during the call, and it is unknown whether the call took effect: ${problem}`);
    }
  }

  function failed(what: string): ToolOutcome {
    return { content: [{ type: "text", text: `The MCP server ${JSON.stringify(name)} ${what}` }], isError: true };
  }
}

/** The error in few words; a server can put a whole page into one. */
function wordsOf(error: unknown): string {
  const words = messageOf(error);
  const status = error instanceof SdkHttpError ? ` (HTTP ${error.status})` : "";
  return `${words.slice(0, longestError)}${status}`;
}

function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(new Error("the call was cancelled"));
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

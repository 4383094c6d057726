import { aborted, timeLimit } from "@troupe/store";
import type { Tool } from "../loop/tool.ts";
import { writtenAs } from "./config.ts";
import type { Connection, ConnectionDeps } from "./connection.ts";
import type { Credentials } from "./credentials.ts";
import { serverKey, serverPattern } from "./names.ts";

export interface McpDeps {
  /** Configs by name, as settings hold them. */
  readonly servers: Readonly<Record<string, unknown>>;
  /** The environment of servers, and the values of variables in configs. */
  readonly environment: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** `openCredentials`: logins at servers that ask for one. */
  readonly credentials?: Credentials | undefined;
  /** Closes everything when it fires. */
  readonly signal?: AbortSignal;
  readonly connectTimeoutMs?: number;
  readonly callTimeoutMs?: number;
}

/**
 * A server of an agent's definition: one that is there already, by its name, or one of the agent's
 * own.
 */
export type McpServerSpec =
  | { readonly kind: "reference"; readonly name: string }
  | { readonly kind: "inline"; readonly name?: string; readonly config: Readonly<Record<string, unknown>> };

export interface McpServerStatus {
  readonly name: string;
  /** `unknown`: a name that nobody has opened. */
  readonly state: "connecting" | "connected" | "failed" | "closed" | "unknown";
  /** How it is reached, as the config writes it. */
  readonly written?: string;
  /** Why it is not there, or what of its tools is not. */
  readonly problem?: string;
}

/** The servers that an agent can use. Who opens a connection closes it. */
export interface Mcp {
  /** The tools of this moment, in an order that depends on nothing but the configuration. */
  tools(): readonly Tool[];
  /**
   * Tools that have come and gone since they were taken, or since it was asked last. What the model
   * was shown stays as it was, so this is told to it between two rounds, and new tools are for the
   * next agent.
   */
  changes(): { readonly added: readonly string[]; readonly gone: readonly string[] };
  servers(): readonly McpServerStatus[];
  /**
   * Waits until servers are there with tools, and resolves with those that are not; `*` in a name
   * stands for anything.
   */
  missing(names: readonly string[], signal?: AbortSignal): Promise<readonly string[]>;
  /** Servers of a child: all of its parent's, and its own, which end with it. */
  child(specs: readonly McpServerSpec[]): Mcp;
  /** Closes what was opened here, and the children first. */
  close(): Promise<void>;
}

/** How long a server may take until it is there. */
const usualConnectMs = 30_000;
/** How long a call may take. */
const usualCallMs = 600_000;

/** Opens the servers of a session; they connect in the background. */
export function openMcp(deps: McpDeps): Mcp {
  const {
    servers,
    environment,
    cwd,
    credentials,
    signal,
    callTimeoutMs = usualCallMs,
    connectTimeoutMs = usualConnectMs,
  } = deps;
  const open = (name: string, config: unknown) =>
    openLate({ name, config, environment, cwd, credentials, connectTimeoutMs, callTimeoutMs });
  const configs = Object.entries(servers).map(([name, config]) => ({ name, config }));
  const root = scopeOf(configs, () => [], []);
  signal?.addEventListener("abort", () => void root.close(), { once: true });
  if (signal?.aborted) void root.close();
  return root;

  function scopeOf(
    configured: readonly { readonly name: string; readonly config: unknown }[],
    inherited: () => readonly Connection[],
    references: readonly string[],
  ): Mcp {
    const keepers = new Map<string, string>();
    // Rules speak of a server by its key: it belongs to the one that is there already, else to the
    // one whose name it is, else to the first.
    const exact = configured.filter(({ name }) => serverKey(name) === name);
    for (const { name } of [...inherited(), ...exact, ...configured])
      if (!keepers.has(serverKey(name))) keepers.set(serverKey(name), name);
    const isKept = ({ name }: { readonly name: string }) => keepers.get(serverKey(name)) === name;
    const own = configured.filter(isKept).map(({ name, config }) => open(name, config));
    const clashing = configured.filter((one) => !isKept(one));
    const children = new Set<Mcp>();
    let known = new Set<string>();

    const isShadowed = ({ name }: Connection) => own.some((one) => one.name === name);
    const all = () => [...inherited().filter((one) => !isShadowed(one)), ...own];
    const toolsNow = () => all().flatMap((one) => one.tools());
    const namesNow = () => toolsNow().map(({ definition }) => definition.name);
    const scope: Mcp = {
      tools() {
        known = new Set(namesNow());
        return toolsNow();
      },
      changes() {
        const before = known;
        known = new Set(namesNow());
        return {
          added: [...known].filter((name) => !before.has(name)),
          gone: [...before].filter((name) => !known.has(name)),
        };
      },
      servers: () => [
        ...all().map((one) => ({ name: one.name, ...wordsFor(one.config), ...one.status() })),
        ...clashing.map(({ name, config }) => ({
          name,
          ...wordsFor(config),
          state: "failed" as const,
          problem: `its tools would have the same names as those of the server ${JSON.stringify(keepers.get(serverKey(name)))}; rename it`,
        })),
        ...references
          .filter((name) => !all().some((one) => one.name === name))
          .map((name) => ({ name, state: "unknown" as const })),
      ],
      async missing(names, until) {
        const deadline = timeLimit(connectTimeoutMs);
        const over = aborted(until ? AbortSignal.any([deadline, until]) : deadline);
        const present = await Promise.all(
          names.map(serverPattern).map((isNamed) => {
            const named = all().filter((one) => isNamed(one.name));
            return Promise.race([oneOf(named.map((one) => one.isUsable)), over]);
          }),
        );
        return names.filter((_, at) => present[at] !== true);
      },
      child(specs) {
        const inline = specs.flatMap((spec) => (spec.kind === "inline" ? [spec] : []));
        const made = scopeOf(
          inline.map(({ name, config }, at) => ({ name: name ?? `own-${at + 1}`, config })),
          all,
          specs.flatMap((spec) => (spec.kind === "reference" ? [spec.name] : [])),
        );
        children.add(made);
        return { ...made, close: () => made.close().finally(() => children.delete(made)) };
      },
      async close() {
        await Promise.all([...children].map((one) => one.close()));
        await Promise.all(own.map((one) => one.close()));
      },
    };
    return scope;
  }
}

/** Loads the client of MCP with the first server: a session without one does not pay for it. */
function openLate(deps: ConnectionDeps): Connection {
  let connection: Connection | undefined;
  let isClosed = false;
  const opening = import("./connection.ts").then(({ openConnection }) => {
    if (!isClosed) connection = openConnection(deps);
    return connection;
  });
  return {
    name: deps.name,
    config: deps.config,
    isUsable: opening.then((opened) => opened?.isUsable ?? false),
    status: () => connection?.status() ?? { state: isClosed ? "closed" : "connecting" },
    tools: () => connection?.tools() ?? [],
    async close() {
      isClosed = true;
      const opened = await opening;
      await opened?.close();
    },
  };
}

const wordsFor = (config: unknown): Pick<McpServerStatus, "written"> => {
  const written = writtenAs(config);
  return written === undefined ? {} : { written };
};

/** True as soon as one of them is, false when none is. */
const oneOf = (promises: readonly Promise<boolean>[]): Promise<boolean> =>
  new Promise((resolve) => {
    for (const promise of promises) void promise.then((is) => is && resolve(true));
    void Promise.all(promises).then(() => resolve(false));
  });

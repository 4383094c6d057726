import { isAbsolute } from "node:path";
import { Readable, Writable } from "node:stream";
import {
  type AgentContext,
  agent,
  type ContentBlock,
  type McpServer,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  RequestError,
} from "@agentclientprotocol/sdk";
import { messageOf } from "@troupe/protocol";
import type { Session } from "@troupe/runtime";
import type { Answer, Call } from "../command.ts";
import { backendsOf } from "../session/backends.ts";
import { openRealSession } from "../session/compose.ts";
import { assertKey } from "../session/environment.ts";
import type { RunOptions } from "../session/options.ts";
import { pastSessions } from "../session/past-sessions.ts";
import { defaultRevision, wishOf } from "../session/wish.ts";
import { attendEditor, type EditorSession, editorModes, personAt, tellEditor } from "./editor-session.ts";
import { replayOf } from "./updates.ts";

interface Open {
  readonly session: Session;
  readonly editor: EditorSession;
}

/** What an editor says of a session that it wants. */
interface Wanted {
  readonly cwd: string;
  readonly mcpServers?: readonly McpServer[];
}

type AcpOptions = Pick<RunOptions, "model" | "agent" | "agents" | "settings" | "revision" | "backend">;

/** An editor shows the message of an error, and not its data. */
function assertSignedIn({ environment }: Pick<Call, "environment">): void {
  try {
    assertKey(environment);
  } catch (error) {
    throw RequestError.authRequired(undefined, messageOf(error));
  }
}

/** An agent for one editor, until it closes the connection. */
export async function run(call: Call<object, AcpOptions>): Promise<Answer | undefined> {
  const sessions = new Map<string, Open>();
  const openIn = (id: string): Open => {
    const found = sessions.get(id);
    if (!found) throw RequestError.invalidParams(undefined, `there is no session ${id}: open one with session/new`);
    return found;
  };

  async function open(client: AgentContext, { cwd, mcpServers = [] }: Wanted, resume?: string): Promise<Session> {
    if (!isAbsolute(cwd)) throw RequestError.invalidParams(undefined, `cwd must be an absolute path, not ${cwd}`);
    const place = { ...call, cwd };
    assertSignedIn(call);
    const { settings, ...wish } = wishOf(place, cwd);
    const { revision = defaultRevision, backend } = call.options;
    let id = resume ?? "";
    const person = personAt(client, () => id);
    const onEvent = tellEditor(client, () => id);
    const session = await openRealSession(place, {
      ...wish,
      ...(resume !== undefined && { sessionId: resume }),
      settings: mcpServers.length === 0 ? settings : { ...settings, mcpServers: serversOf(mcpServers) },
      person,
      backends: backendsOf({
        call: place,
        revision,
        mode: backend,
        definitions: wish.definitions,
        ask: person.ask,
        onEvent: () => {},
      }),
      onEvent,
    });
    id = session.id;
    for (const problem of session.problems) call.note(problem);
    sessions.set(id, { session, editor: attendEditor(session) });
    return session;
  }

  const modesOf = ({ permissions }: Session) => ({
    currentModeId: permissions.mode(),
    availableModes: editorModes.map((one) => ({ ...one })),
  });

  const { input, output } = call.streams;
  const connection = agent({ name: "troupe" })
    .onRequest(methods.agent.initialize, () => ({
      protocolVersion: PROTOCOL_VERSION,
      agentInfo: { name: "troupe", title: "Troupe", version: call.version },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { embeddedContext: true },
        mcpCapabilities: { http: true },
        sessionCapabilities: { list: {}, close: {} },
      },
    }))
    .onRequest(methods.agent.session.new, async ({ params, client }) => {
      const session = await open(client, params);
      return { sessionId: session.id, modes: modesOf(session) };
    })
    .onRequest(methods.agent.session.load, async ({ params, client }) => {
      const { sessionId } = params;
      if (!pastSessions({ ...call, cwd: params.cwd }, Number.POSITIVE_INFINITY).some(({ id }) => id === sessionId))
        throw RequestError.invalidParams(undefined, `there is no session ${sessionId} in ${params.cwd}`);
      const session = await open(client, params, sessionId);
      for (const update of replayOf(session.journal.state()))
        await client.notify(methods.client.session.update, { sessionId, update });
      return { modes: modesOf(session) };
    })
    .onRequest(methods.agent.session.list, ({ params }) => ({
      sessions: pastSessions({ ...call, cwd: params.cwd ?? call.cwd }).map(({ id, title, at }) => ({
        sessionId: id,
        cwd: params.cwd ?? call.cwd,
        title,
        updatedAt: new Date(at).toISOString(),
      })),
    }))
    .onRequest(methods.agent.session.setMode, ({ params: { sessionId, modeId } }) => {
      const mode = editorModes.find(({ id }) => id === modeId);
      if (!mode) throw RequestError.invalidParams(undefined, `there is no mode ${modeId}`);
      openIn(sessionId).session.permissions.setMode(mode.id);
      return {};
    })
    .onRequest(methods.agent.session.prompt, async ({ params: { sessionId, prompt } }) => ({
      stopReason: await openIn(sessionId).editor.prompt(prompt.map(textOf).join("\n")),
    }))
    .onNotification(methods.agent.session.cancel, ({ params }) => sessions.get(params.sessionId)?.editor.cancel())
    .onRequest(methods.agent.session.close, async ({ params: { sessionId } }) => {
      const { editor } = openIn(sessionId);
      sessions.delete(sessionId);
      await editor.close();
      return {};
    })
    .connect(ndJsonStream(Writable.toWeb(output) as never, Readable.toWeb(input) as never));

  const stop = () => connection.close();
  call.signal.addEventListener("abort", stop, { once: true });
  if (call.signal.aborted) stop();
  await connection.closed.catch(() => {});
  await Promise.all([...sessions.values()].map(({ editor }) => editor.close()));
  return undefined;
}

/** What a user attached besides words is named, and read by the agent itself. */
function textOf(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "resource_link":
      return `@${block.uri.replace(/^file:\/\//, "")}`;
    case "resource":
      return "text" in block.resource ? `${block.resource.uri}:\n${block.resource.text}` : block.resource.uri;
    default:
      return `[${block.type}]`;
  }
}

/** The servers of the editor, as settings name them. */
const serversOf = (servers: readonly McpServer[]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    servers.map((server) => {
      const named = (pairs: readonly { readonly name: string; readonly value: string }[]) =>
        Object.fromEntries(pairs.map(({ name, value }) => [name, value]));
      if ("command" in server)
        return [server.name, { command: server.command, args: server.args, env: named(server.env) }];
      const { name, headers, ...rest } = server;
      return [name, { ...rest, headers: named(headers) }];
    }),
  );

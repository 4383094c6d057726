import { randomBytes } from "node:crypto";
import { type Place, serveTeamHttp, serveTeamStdio, type TakenSeat } from "@troupe/mcp";
import { memberName, TroupeError } from "@troupe/protocol";
import type { Answer, Call } from "../command.ts";
import { openStore, openTeam } from "../open.ts";
import { openClientSeat, openHand } from "./seat.ts";

interface ServeOptions {
  readonly team?: string;
  readonly as?: string;
  readonly observe?: boolean;
  readonly "without-mail"?: boolean;
  readonly http?: string;
}

export async function run(call: Call<object, ServeOptions>): Promise<Answer | undefined> {
  const { team: name, as, observe, http } = call.options;
  if (name === undefined)
    throw new TroupeError("arguments_invalid", "mcp needs --team NAME: troupe team list shows all");
  if (as !== undefined && observe)
    throw new TroupeError("arguments_invalid", "--as takes part and --observe only looks: leave out one of them");
  const port = http === undefined ? undefined : portFrom(http);
  const room = { store: openStore(call), team: await openTeam(call, name), now: call.now };
  const over = new AbortController();
  const signal = AbortSignal.any([call.signal, over.signal]);
  let seat: Promise<TakenSeat> | undefined;

  /** It ends when its member has agreed to end. */
  function take(member: string): Promise<TakenSeat> {
    seat ??= openClientSeat(call, room, member).then((taken) => {
      void taken.left.catch(() => {}).then(() => over.abort());
      return taken;
    });
    // What could not be opened is tried again at the next call.
    seat.catch(() => {
      seat = undefined;
    });
    return seat;
  }

  const place: Place = (() => {
    if (as === undefined) return { role: "observer", room: { ...room, self: undefined } };
    const own = { ...room, self: memberName(as) };
    if (call.options["without-mail"]) return { role: "hand", room: own, seat: () => openHand(call, room, as) };
    return { role: "member", room: own, seat: () => take(as) };
  })();
  const common = { place, version: call.version, signal, show: call.note };
  try {
    if (port === undefined) {
      const { input, output } = call.streams;
      await serveTeamStdio({ ...common, input, output });
    } else {
      const own = call.environment["TROUPE_MCP_TOKEN"];
      const token = own || randomBytes(24).toString("base64url");
      const { url, ended } = await serveTeamHttp({ ...common, port, token });
      const header = `Authorization: Bearer ${own ? "$TROUPE_MCP_TOKEN" : token}`;
      await call.tell({
        document: { at: call.now().toISOString(), event: "listening", url, ...(!own && { token }) },
        text: [`listening on ${url}, for clients that send the header ${header}`],
      });
      await ended;
    }
  } finally {
    await (await seat?.catch(() => undefined))?.close();
    await room.store.close();
  }
  return undefined;
}

function portFrom(word: string): number {
  const port = Number(word);
  if (/^\d+$/.test(word) && port < 65_536) return port;
  throw new TroupeError("arguments_invalid", `--http takes a port from 0 to 65535, not ${JSON.stringify(word)}`);
}

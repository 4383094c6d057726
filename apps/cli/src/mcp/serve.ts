import { randomBytes } from "node:crypto";
import { type Place, serveTeamHttp, serveTeamStdio, type TakenSeat } from "@troupe/mcp";
import { memberName, type PermissionMode, TroupeError } from "@troupe/protocol";
import { memberOf } from "@troupe/protocol/rules";
import type { Answer, Call } from "../command.ts";
import { actor, openStore, openTeam } from "../open.ts";
import { openClientSeat, openHand } from "./seat.ts";

export interface ServeOptions {
  readonly team?: string;
  readonly as?: string;
  readonly lead?: boolean;
  readonly observe?: boolean;
  readonly "without-mail"?: boolean;
  readonly http?: string;
  readonly backend?: readonly string[];
  readonly "permission-mode"?: PermissionMode;
  readonly "plan-mode-required"?: boolean;
  readonly cwd?: string;
  readonly most?: string;
}

type ServeCall = Call<object, ServeOptions>;

export async function run(call: ServeCall): Promise<Answer | undefined> {
  const { team: name, as, http } = call.options;
  if (name === undefined) throw wrong("mcp needs --team NAME: troupe team list shows all");
  assertOneRole(call);
  const port = http === undefined ? undefined : portFrom(http);
  const room = { store: await openStore(call), team: await openTeam(call, name), now: call.now };
  const over = new AbortController();
  const signal = AbortSignal.any([call.signal, over.signal]);
  let closeSeat = async (): Promise<void> => {};

  /** Opened at the first call; the server ends when its member has agreed to end. */
  function once<Taken extends Pick<TakenSeat, "close"> & Partial<Pick<TakenSeat, "left">>>(
    open: () => Promise<Taken>,
  ): () => Promise<Taken> {
    let seat: Promise<Taken> | undefined;
    closeSeat = async () => (await seat?.catch(() => undefined))?.close();
    return () => {
      if (seat) return seat;
      seat = open();
      seat.then(
        ({ left }) => void left?.catch(() => {}).then(() => over.abort()),
        // What could not be opened is tried again at the next call.
        () => {
          seat = undefined;
        },
      );
      return seat;
    };
  }

  const place = await (async (): Promise<Place> => {
    if (call.options.lead) {
      // What starts teammates is large, and of no use to others.
      const { boundsFrom, openLeadSeat } = await import("./lead-seat.ts");
      const bounds = boundsFrom(call);
      const { name: self } = await actor(room.team, undefined);
      return { role: "lead", room: { ...room, self }, seat: once(() => openLeadSeat(call, room, bounds)) };
    }
    if (as === undefined) return { role: "observer", room: { ...room, self: undefined } };
    const { value } = await room.team.config();
    const self = (value && memberOf(value, as)?.name) ?? memberName(as);
    const own = { ...room, self };
    if (call.options["without-mail"]) return { role: "hand", room: own, seat: once(() => openHand(call, room, self)) };
    return { role: "member", room: own, seat: once(() => openClientSeat(call, room, self)) };
  })();
  const common = { place, version: call.version, signal, show: call.note };
  try {
    if (port === undefined) {
      const { input, output } = call.streams;
      await serveTeamStdio({ ...common, input, output });
    } else {
      const own = call.environment["TROUPE_MCP_TOKEN"];
      if (own && !/^[\x21-\x7e]{16,}$/.test(own))
        throw wrong("$TROUPE_MCP_TOKEN needs at least 16 visible characters of ASCII: openssl rand -hex 24 makes some");
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
    await closeSeat();
  }
  return undefined;
}

function assertOneRole({ options, environment }: ServeCall): void {
  const roles = (["as", "lead", "observe"] as const).filter((name) => options[name]);
  if (roles.length > 1)
    throw wrong(`a client has one role: leave out one of ${roles.map((name) => `--${name}`).join(" and ")}`);
  if (options["without-mail"] && options.as === undefined) throw wrong("--without-mail is for a member: add --as NAME");
  const bound = (["backend", "permission-mode", "plan-mode-required", "cwd", "most"] as const).find(
    (name) => options[name] !== undefined,
  );
  if (bound && !options.lead) throw wrong(`--${bound} is about the teammates that a lead starts: add --lead`);
  if (options.lead && environment["TROUPE_TEAMMATE"])
    throw wrong("a teammate runs this command (TROUPE_TEAMMATE is set), and does not lead: start it elsewhere");
}

function portFrom(word: string): number {
  const port = Number(word);
  if (/^\d+$/.test(word) && port < 65_536) return port;
  throw wrong(`--http takes a port from 0 to 65535, not ${JSON.stringify(word)}`);
}

const wrong = (message: string): TroupeError => new TroupeError("arguments_invalid", message);

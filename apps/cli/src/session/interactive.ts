import { permissionModes } from "@troupe/protocol";
import { openTrust, type Session, type SessionEvent, settingsOf } from "@troupe/runtime";
import { type Answer, type Call, exits } from "../command.ts";
import { openStore } from "../open.ts";
import { openScreen, type Screen } from "../screen/screen.ts";
import type { Effect } from "../screen/state.ts";
import { screenOf } from "../terminal.ts";
import { backendsOf } from "./backends.ts";
import { createBill } from "./bill.ts";
import { openRealSession } from "./compose.ts";
import { leadSeat } from "./lead-seat.ts";
import { pastSessions, saidBefore } from "./past-sessions.ts";
import { personAt } from "./person.ts";
import { type Next, openSitting, type Sitting } from "./sitting.ts";
import type { SessionParts } from "./wish.ts";

/** What the command line says of an interactive session. */
export interface InteractiveWish extends SessionParts {
  /** The team that it leads from the beginning. */
  readonly team: string | undefined;
  /** A display mode of teammates. */
  readonly teammates: string | undefined;
  readonly isSpoken: boolean;
}

/** Sits a person down at a session, and at another one after it, until they leave. */
export async function interact(call: Call, wish: InteractiveWish): Promise<Answer> {
  let sitting: Sitting | undefined;
  /** What the person wanted while no session was there. */
  const wanted: Effect[] = [];
  const { input, output } = call.streams;
  const screen = openScreen({
    input,
    output,
    look: { hasColor: screenOf(output, call.environment).hasColor, isSpoken: wish.isSpoken, shorten: shortening(call) },
    now: () => call.now().getTime(),
    onEffect: (effect) => (sitting ? sitting.perform(effect) : void wanted.push(effect)),
  });
  let last: Session | undefined;
  try {
    let { team } = wish;
    let sessionId = wish.sessionId === "" ? await picked(call, screen, "begins a new one") : wish.sessionId;
    for (let next: Next = "clear"; next !== "leave"; ) {
      const session = await opened(
        { ...call, note: (text) => screen.dispatch({ kind: "said", text }) },
        { ...wish, team, sessionId },
        screen,
        (one) => {
          sitting = one;
          for (const effect of wanted.splice(0)) one.perform(effect);
        },
      );
      last = session;
      // It stays that session's: another one begins without a team.
      team = undefined;
      next = (await sitting?.attend()) ?? "leave";
      sitting = undefined;
      await session.close();
      const chosen: string | undefined =
        next === "resume" ? ((await picked(call, screen, "goes on with the last one")) ?? session.id) : undefined;
      sessionId = chosen;
    }
  } finally {
    screen.close();
  }
  const hasSaid = last?.journal.state().past !== undefined;
  return {
    exit: exits.done,
    ...(last && hasSaid && { text: ["To go on with this session:", { verbatim: `  troupe --resume ${last.id}` }] }),
  };
}

/** Leaves out the folder and the home of the user, with which most paths begin. */
const shortening =
  ({ cwd, home }: Pick<Call, "cwd" | "home">) =>
  (text: string): string =>
    text.replaceAll(`${cwd}/`, "").replaceAll(`${home}/`, "~/");

/** Opens a session and its sitting; what happens before the sitting is there waits for it. */
async function opened(
  call: Call,
  { teammates, team, model, options, isSpoken: _, ...wish }: InteractiveWish,
  screen: Screen,
  onSitting: (sitting: Sitting) => void,
): Promise<Session> {
  const bill = createBill();
  let sitting: Sitting | undefined;
  const early: (readonly [SessionEvent, string | undefined])[] = [];
  const note = (event: SessionEvent, mate?: string) => {
    bill.add(event);
    if (sitting) sitting.note(event, mate);
    else early.push([event, mate]);
  };
  const person = personAt(screen, () => openTrust(call.root).isTrusted(call.cwd));
  const earlier = saidBefore(call);
  const revision = options?.revision ?? "2026-02";
  const mode = teammates ?? settingsOf(call).settings.teammateMode ?? "auto";
  const session = await openRealSession(call, {
    ...wish,
    model,
    options: { ...options, gates: { ...options?.gates, isInteractive: true } },
    person,
    backends: backendsOf({ call, revision, mode, definitions: wish.definitions, ask: person.ask, onEvent: note }),
    onEvent: (event) => note(event),
  });
  const greeting = `troupe in ${call.cwd} · /help shows keys and commands`;
  const hasDelegation = permissionModes[revision].includes("delegate");
  const store = await openStore(call);
  sitting = openSitting({ call, store, screen, session, bill, greeting, hasDelegation, earlier });
  onSitting(sitting);
  for (const [event, mate] of early) sitting.note(event, mate);
  const seat = await leadSeat(call, { team, model }, session);
  if (seat) session.enter(seat);
  return session;
}

/** Has the person choose among the sessions of this folder; undefined where they choose none. */
async function picked(call: Call, screen: Screen, dismissing: string): Promise<string | undefined> {
  const sessions = pastSessions(call, 9);
  if (sessions.length === 0) {
    screen.dispatch({ kind: "said", text: "There is no earlier session in this folder." });
    return undefined;
  }
  const now = call.now().getTime();
  const decision = await screen.ask(
    {
      about: [{ text: "Which session do you want to go on with?", style: "bold" }],
      choices: sessions.map(({ title, at }) => ({ label: title.slice(0, 200), note: ageOf(now - at) })),
      dismissing,
    },
    call.signal,
  );
  return sessions[decision?.chosen[0] ?? -1]?.id;
}

function ageOf(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min ago`;
  return minutes < 48 * 60 ? `${Math.floor(minutes / 60)} h ago` : `${Math.floor(minutes / 1_440)} days ago`;
}

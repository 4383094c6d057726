import { type PermissionMode, TroupeError } from "@troupe/protocol";
import {
  type ClientSeat,
  type ClientSeatDeps,
  type Incoming,
  type Reply,
  type TurnEnd,
  takeClientSeat,
} from "@troupe/team";
import type { Agent } from "./agent.ts";
import type { AgentPreset } from "./presets.ts";
import { failureOf, introduction, promptOf } from "./words.ts";

export interface ConversationDeps extends Omit<ClientSeatDeps, "kind" | "ask" | "onWaiting" | "mayWork"> {
  readonly preset: Pick<AgentPreset, "command" | "modes">;
  readonly mode: PermissionMode;
  readonly planModeRequired: boolean;
  /** The name of the server with the tools of the team. */
  readonly server: string;
  /** Asked whether the member ends, once the agent has nothing in hand. */
  readonly mayEnd: () => Promise<Reply>;
  readonly signal: AbortSignal;
}

/** What a member and an agent of others say to each other. */
export interface Conversation {
  readonly seat: ClientSeat;
  /** Once its last plan is approved: the mode it was given; the agent may just be told so. */
  granted(): PermissionMode | undefined;
  /**
   * Turn after turn, each with the mail that waits. Resolves when the member has agreed to end or
   * the signal has fired; rejects when the agent ends by itself.
   */
  run(agent: Pick<Agent, "prompt" | "setMode" | "modes" | "gone">, isNew: boolean): Promise<void>;
}

/** How long an agent may take to end a turn that is cancelled. */
const cancelMs = 10_000;

export async function openConversation(deps: ConversationDeps): Promise<Conversation> {
  const { preset, mode, planModeRequired, server, mayEnd, signal, ...place } = deps;
  const over = new AbortController();
  const until = AbortSignal.any([signal, over.signal]);
  const inHand = new Set<string>();
  let turn: AbortController | undefined;
  const resting: (() => void)[] = [];

  /** Resolves as soon as the agent has nothing in hand. */
  const rested = () =>
    new Promise<void>((resolve) => {
      if (turn) resting.push(resolve);
      else resolve();
    });

  const seat = await takeClientSeat({
    ...place,
    kind: "acp",
    mayWork: (wanted) => preset.modes[wanted] !== undefined && (wanted !== "bypassPermissions" || wanted === mode),
    ask: (question) => (question.kind === "shutdown" ? rested().then(mayEnd) : undefined),
    onWaiting(messages) {
      const isUrgent = ({ message }: Incoming) => message.entry["urgent"] === true && !inHand.has(message.key);
      if (messages.some(isUrgent)) turn?.abort();
    },
  });
  const { membership } = seat;
  let granted = membership.granted();
  void seat.left.catch(() => {}).then(() => over.abort());

  async function prompt(agent: Pick<Agent, "prompt">, words: string, mail: readonly Incoming[]): Promise<TurnEnd> {
    turn = new AbortController();
    inHand.clear();
    for (const { message } of mail) inHand.add(message.key);
    try {
      const { stop, text, fault } = await agent.prompt(words, AbortSignal.any([turn.signal, until]), cancelMs);
      const failure = failureOf(stop, fault);
      return { text, ...(failure && { failure }) };
    } finally {
      turn = undefined;
      for (const done of resting.splice(0)) done();
    }
  }

  return {
    seat,
    granted: () => granted,
    async run(agent, isNew) {
      const { self, team, lead } = place;
      let before = isNew ? introduction({ name: self.name, team: team.name, lead, server }) : "";
      let end: TurnEnd | undefined;
      await enter(agent, preset, planModeRequired && granted === undefined ? "plan" : (granted ?? mode));
      for (;;) {
        const mail = await Promise.race([seat.read(until, end), agent.gone]);
        if (mail.length === 0) return;
        const given = mail.map(grantIn).findLast((one) => one !== undefined);
        if (given !== undefined && given !== granted) await enter(agent, preset, given);
        granted = given ?? granted;
        end = await prompt(agent, [before, promptOf(mail)].filter(Boolean).join("\n\n"), mail);
        before = "";
      }
    },
  };
}

/** The mode that a message grants with the approval of a plan. */
function grantIn({ entry: { settles } }: Incoming): PermissionMode | undefined {
  return settles?.handshake === "plan" && settles.result === "allowed" ? (settles.mode ?? "default") : undefined;
}

/** Throws `arguments_invalid` for a mode that must be had and that the agent has not got. */
async function enter(
  { modes, setMode }: Pick<Agent, "modes" | "setMode">,
  { command: [program], modes: names }: ConversationDeps["preset"],
  mode: PermissionMode,
): Promise<void> {
  const id = names[mode];
  if (id !== undefined && modes.includes(id)) return setMode(id);
  if (mode !== "plan" && modes.length === 0) return;
  const message = `${program} cannot work in the mode ${mode}: its modes are ${modes.join(", ") || "not told"}`;
  throw new TroupeError("arguments_invalid", message, { mode });
}

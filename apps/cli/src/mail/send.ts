import { isTroupeError, TroupeError } from "@troupe/protocol";
import type { Participant, Team } from "@troupe/store";
import type { Answer, Call } from "../command.ts";
import { actor, openTeam } from "../open.ts";

interface SendOptions {
  readonly all?: boolean;
  readonly summary?: string;
  readonly as?: string;
  readonly urgent?: boolean;
}

type Content = Parameters<Participant["send"]>[1];

export async function run(
  call: Call<{ team: string; to: string | undefined; text: string }, SendOptions>,
): Promise<Answer> {
  const { summary, as, urgent } = call.options;
  const text = call.args.text === "-" ? (await call.read()).replace(/\r?\n$/, "") : call.args.text;
  if (text === "")
    throw new TroupeError("arguments_invalid", "the message is empty: write a text, or pipe it in with -");
  const team = await openTeam(call, call.args.team);
  const sender = await actor(team, as);
  const content = { text, ...(summary !== undefined && { summary }), ...(urgent && { urgent }) };
  const { to } = call.args;
  if (to === undefined) return sendToAll(team, sender, content);
  const { key, entry } = await sender.send(to, content);
  return { document: { team: team.name, to, key, entry }, text: [`sent to ${to} from ${sender.name}`] };
}

/** One that leaves meanwhile is not among those that it was sent to. */
async function sendToAll(team: Team, sender: Participant, content: Content): Promise<Answer> {
  const { members = [] } = (await team.config()).value ?? {};
  const others = members.map(({ name }) => name).filter((name) => name !== sender.name);
  const sent = await Promise.all(
    others.map(async (to) => {
      try {
        return [{ to, ...(await sender.send(to, content)) }];
      } catch (error) {
        if (isTroupeError(error) && error.code === "recipient_unknown") return [];
        throw error;
      }
    }),
  );
  const reached = sent.flat().map(({ to, key, entry }) => ({ to, key, entry }));
  if (reached.length === 0) {
    const message = `${sender.name} is alone in ${team.name}: troupe spawn or troupe team join adds a teammate`;
    throw new TroupeError("recipient_unknown", message, { team: team.name });
  }
  return {
    document: { team: team.name, sent: reached },
    text: [`sent to ${reached.map(({ to }) => to).join(", ")} from ${sender.name}`],
  };
}

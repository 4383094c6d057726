import { TroupeError } from "@troupe/protocol";
import type { Answer, Call } from "../command.ts";
import { actor, openTeam } from "../open.ts";

interface SendOptions {
  readonly summary?: string;
  readonly as?: string;
  readonly urgent?: boolean;
}

export async function run(call: Call<{ team: string; to: string; text: string }, SendOptions>): Promise<Answer> {
  const { summary, as, urgent } = call.options;
  const text = call.args.text === "-" ? (await call.read()).replace(/\r?\n$/, "") : call.args.text;
  if (text === "")
    throw new TroupeError("arguments_invalid", "the message is empty: write a text, or pipe it in with -");
  const team = await openTeam(call, call.args.team);
  const sender = await actor(team, as);
  const { key, entry } = await sender.send(call.args.to, {
    text,
    ...(summary !== undefined && { summary }),
    ...(urgent && { urgent }),
  });
  return {
    document: { team: team.name, to: call.args.to, key, entry },
    text: [`sent to ${call.args.to} from ${sender.name}`],
  };
}

import { entryKeys, type InboxEntry, isUnread, leadName, nameKey, TroupeError } from "@troupe/protocol";
import type { Answer, Call } from "../command.ts";
import { lookAt, openTeam } from "../open.ts";
import type { Block } from "../paint.ts";
import type { Overview } from "../team/overview.ts";
import { problemText } from "../team/overview-text.ts";
import { messageBody, messageDocument, messageHead, shownMessage, timeSpans } from "./message.ts";

interface InboxOptions {
  readonly all?: boolean;
  readonly take?: boolean;
}

export async function run(call: Call<{ team: string; member: string | undefined }, InboxOptions>): Promise<Answer> {
  const { all = false, take = false } = call.options;
  const overview = await lookAt(call, call.args.team);
  const { team, form } = overview;
  const agent = ownerIn(overview, call.args.member);
  const entries = overview.mail.find((one) => one.agent === agent)?.entries ?? [];
  const keys = entryKeys(entries);
  const messages = entries.map((entry, index) => ({ key: keys[index] ?? "", entry }));
  const unread = messages.filter(({ entry }) => isUnread(entry));
  const shown = all ? [...unread, ...messages.filter(({ entry }) => !isUnread(entry))] : unread;
  const problems = overview.problems.filter(({ file }) => file === `teams/${team}/inboxes/${agent}.json`);
  const more = all || messages.length === 0 ? "" : `; --all shows ${messages.length} that were read`;
  return {
    document: {
      team,
      member: agent,
      messages: shown.map(({ key, entry }) => messageDocument(key, entry, form)),
      problems,
    },
    text: [...shown.flatMap(({ entry }) => entryText(entry, agent, form)), ...problemText(problems)],
    ...(shown.length === 0 && { remark: `nothing unread for ${agent}${more}` }),
    ...(take && {
      afterwards: async () => {
        const { inbox } = await openTeam(call, team);
        await inbox(agent).acknowledge(new Set(unread.map(({ key }) => key)));
      },
    }),
  };
}

/** Whose inbox is meant: a member's, or one that lies there without a member. */
function ownerIn({ team, members, mail }: Overview, said: string | undefined): string {
  const names = [...members.map(({ member }) => member.name), ...mail.map((one) => one.agent)];
  if (said === undefined) return members.find(({ isLead }) => isLead)?.member.name ?? leadName;
  const name = names.find((one) => nameKey(one) === nameKey(said));
  if (name !== undefined) return name;
  const known = [...new Set(names)].join(", ");
  throw new TroupeError("member_unknown", `there is no ${said} in ${team}: look at one of ${known}`, { name: said });
}

function entryText(entry: InboxEntry, agent: string, form: Overview["form"]): Block[] {
  const message = shownMessage(entry, form);
  const mark = isUnread(entry) ? [] : [{ text: "  (read)", style: "dim" } as const];
  return [
    [...timeSpans(entry.timestamp), ...messageHead(entry, agent, message.line), ...mark],
    ...messageBody(message),
  ];
}

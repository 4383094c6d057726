import { type InboxEntry, isUnread, leadName, nameKey } from "@troupe/protocol";
import type { Message, Overview, Team } from "@troupe/store";
import type { Answer, Call } from "../command.ts";
import { actor, lookAt, openTeam, unknownMember } from "../open.ts";
import type { Printed } from "../paint.ts";
import { problemText } from "../team/overview-text.ts";
import { eachChange } from "../watch/each-change.ts";
import { messageBody, messageDocument, messageHead, shownMessage, timeSpans } from "./message.ts";

interface InboxOptions {
  readonly all?: boolean;
  readonly take?: boolean;
  readonly follow?: boolean;
}

export async function run(
  call: Call<{ team: string; member: string | undefined }, InboxOptions>,
): Promise<Answer | undefined> {
  const { all = false, take = false, follow = false } = call.options;
  const overview = await lookAt(call, call.args.team);
  const { team, form } = overview;
  const agent = ownerIn(overview, call.args.member);
  if (follow) return followInbox(call, { name: team, agent, all, take });
  const mail = overview.mail.find((one) => one.agent === agent) ?? { entries: [], messages: [] };
  const shown = unreadFirst(mail.entries, isUnread, all);
  const problems = overview.problems.filter(({ file }) => file === `teams/${team}/inboxes/${agent}.json`);
  const more = all || mail.entries.length === 0 ? "" : `; --all shows ${mail.entries.length} read ones`;
  const messages = () => unreadFirst(mail.messages, ({ entry }) => isUnread(entry), all);
  const documents = () => messages().map(({ key, entry }) => messageDocument(key, entry, form));
  return {
    ...(call.isJson
      ? { document: { team, member: agent, messages: documents(), problems } }
      : { text: inboxText(shown, agent, form, problems) }),
    ...(shown.length === 0 && { remark: `nothing unread for ${agent}${more}` }),
    ...(take && {
      afterwards: async () => {
        const unread = mail.messages.filter(({ entry }) => isUnread(entry));
        await taken(await openTeam(call, team), agent, unread);
      },
    }),
  };
}

/** Those that nobody has taken yet, and behind them the others where `all` are wanted. */
function unreadFirst<T>(ones: readonly T[], isUnread: (one: T) => boolean, all: boolean): readonly T[] {
  const unread = ones.filter(isUnread);
  return all ? [...unread, ...ones.filter((one) => !isUnread(one))] : unread;
}

async function taken(team: Team, agent: string, unread: readonly Message[]): Promise<void> {
  const lease = await (await actor(team, agent)).receive();
  await lease.acknowledge(new Set(unread.map(({ key }) => key))).finally(lease.release);
}

interface Followed {
  readonly name: string;
  readonly agent: string;
  readonly all: boolean;
  readonly take: boolean;
}

/** Tells each message once, in the order in which they come. */
async function followInbox(call: Call<object, object>, { name, agent, all, take }: Followed): Promise<undefined> {
  const team = await openTeam(call, name);
  const told = new Set<string>();

  async function look(): Promise<void> {
    const { value = [] } = await team.mail(agent).page();
    const fresh = value.filter(({ key, entry }) => !told.has(key) && (all || isUnread(entry)));
    for (const { key, entry } of fresh) {
      told.add(key);
      await call.tell({ document: messageDocument(key, entry, team.form), text: entryText(entry, agent, team.form) });
    }
    const unread = fresh.filter(({ entry }) => isUnread(entry));
    if (take && unread.length > 0) await taken(team, agent, unread);
  }

  return eachChange(call, team, (change) => change.kind === "inbox" && change.name === agent, look);
}

/** Finds the named inbox, of a member or one left without a member; throws if there is none. */
function ownerIn({ team, members, mail }: Overview, said: string | undefined): string {
  const names = [...members.map(({ member }) => member.name), ...mail.map((one) => one.agent)];
  if (said === undefined) return members.find(({ isLead }) => isLead)?.member.name ?? leadName;
  const name = names.find((one) => nameKey(one) === nameKey(said));
  if (name !== undefined) return name;
  return unknownMember(team, said, names);
}

function* inboxText(
  entries: readonly InboxEntry[],
  agent: string,
  form: Overview["form"],
  problems: Overview["problems"],
): Generator<Printed> {
  for (const entry of entries) yield* entryText(entry, agent, form);
  yield* problemText(problems);
}

function entryText(entry: InboxEntry, agent: string, form: Overview["form"]): Printed[] {
  const message = shownMessage(entry, form);
  const mark = isUnread(entry) ? [] : [{ text: "  (read)", style: "dim" } as const];
  return [
    [...timeSpans(entry.timestamp), ...messageHead(entry, agent, message.line), ...mark],
    ...messageBody(message),
  ];
}

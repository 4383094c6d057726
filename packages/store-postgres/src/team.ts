import { agentName, type Codec, codecFor, type Member, type Task, type TeamConfig } from "@troupe/protocol";
import {
  assertIdle,
  assertTeammate,
  type Message,
  memberOf,
  nextColor,
  recipientOf,
  senderOf,
} from "@troupe/protocol/rules";
import type { Participant, Team } from "@troupe/store";
import { assignmentOf, checkedTeam, memberUnknown, tasksOf } from "@troupe/store/engine";
import { only, type Query, type Transaction } from "./database.ts";
import { eventsOf, recordEvent, recording } from "./history.ts";
import { keptUnder } from "./kept-result.ts";
import { type LeaseDeps, receive } from "./lease.ts";
import { append, compact, deliver, holdInbox, mailIn, messageOf, type Place, type Sending } from "./mail.ts";
import { openTasks, type TasksDeps } from "./tasks.ts";
import { changeConfig, configSeen, readConfig, type Seen, type TeamRow } from "./team-row.ts";
import { watchTeam } from "./watch.ts";

/** A team that was there a moment ago. */
export function openTeam(deps: LeaseDeps, row: TeamRow): Team {
  const { database, wakes, closing } = deps;
  const { id, name, form, list } = row;
  const codec: Codec = codecFor(form);
  const placeOf = (member: string): Place => ({ team: id, name: member, codec });
  const until = (signal: AbortSignal | undefined) => (signal ? AbortSignal.any([signal, closing]) : closing);

  let seen: Seen | undefined;
  const look = async (query: Query): Promise<Seen> => {
    seen = await configSeen(query, row, seen);
    return seen;
  };

  /** Asks the server once where the team is as it was seen last with this member. */
  async function asSeen<T>(member: string, work: (seen: Seen) => Promise<T | undefined>): Promise<T> {
    let known = seen && memberOf(seen.config, member) ? seen : await look(database.query);
    for (;;) {
      const done = await work(known);
      if (done !== undefined) return done;
      known = await look(database.query);
    }
  }

  const tasksDeps: TasksDeps = {
    database,
    codec,
    asSeen: (agent, work) =>
      asSeen(agent, ({ config, changed }) => {
        if (!memberOf(config, agent)) throw memberUnknown(agent);
        return work({ list, team: { id, changed } });
      }),
    async open(transaction) {
      const { config: team } = await look(transaction.query);
      return {
        list,
        wake: () => transaction.touch(id),
        memberOf: (agent) => memberOf(team, agent),
        record: (by, event) => transaction.atCommit(...recording(id, by, event)),
        scopeOf: (by) => `member ${id} ${memberOf(team, by)?.name ?? by}`,
        async tell(task: Task, owner: string, by: string | undefined) {
          const { now } = only(await transaction.query<{ now: Date }>("select clock_timestamp() as now"));
          const at = now.toISOString();
          const told = assignmentOf(task, { team, codec, owner, by, at });
          if (told) await deliver(transaction, placeOf(told.to.name), told);
        },
      };
    },
  };
  const tasks = openTasks(tasksDeps);

  const change = (work: Parameters<typeof changeConfig>[3]): Promise<boolean> =>
    database.transaction((transaction) => changeConfig(transaction, row, codec, work));

  async function actAs(agent: string): Promise<Participant> {
    const self = senderOf((await look(database.query)).config, agent);
    const record = (event: object) => recordEvent(database, id, self.name, event);

    const post = (to: string, sending: Sending): Promise<Message> =>
      asSeen(to, ({ config, changed }) => {
        const place = placeOf(recipientOf(config, to).name);
        return database.transaction((open) => append(open, place, sending, changed), "one statement");
      });

    const own = openTasks({ ...tasksDeps, by: self.name });

    return {
      name: self.name,
      tasks: { ...tasksOf(self.name, own, record), claimNext: own.claimNext },

      async send(to, content, stamp, { once } = {}) {
        const sending = { from: self, content, stamp, by: self.name };
        if (!stamp && once === undefined) return post(to, sending);
        return database.transaction(async (transaction) => {
          const place = placeOf(recipientOf((await look(transaction.query)).config, to).name);
          const first = () => deliver(transaction, place, sending);
          return once === undefined ? first() : sendOnce(transaction, place, { by: self.name, once }, first);
        });
      },

      receive: (options) => receive(deps, placeOf(self.name), options),
      record,
    };
  }

  return checkedTeam(closing, {
    name,
    form,
    tasks,
    config: async () => (await readConfig(database.query, row)) ?? codec.readTeam("", name),
    as: actAs,
    mail: (member) => mailIn(database, placeOf(agentName(member))),

    join: (draft, { once } = {}) =>
      database.transaction(async (transaction) => {
        const { query } = transaction;
        await query("select from team where id = $1 for no key update", [id]);
        const kept = once === undefined ? undefined : keptUnder<Member>(query, `team ${id}`, `join ${once}`);
        const before = await kept?.read();
        if (before) return memberNow((await look(query)).config, before);
        let joined!: Member;
        await changeConfig(transaction, row, codec, (found) => {
          const team = found.value ?? { name, members: [] };
          joined = codec.newTeammate({ ...draft, team: name, color: nextColor(team) });
          return codec.addMember(found, joined);
        });
        await kept?.keep(joined);
        return joined;
      }),

    async claim(leadProcess) {
      if (form !== "2026-11") return false;
      return change((found) => codec.amendTeam(found, { leadProcess }));
    },

    updateMember: (member, patch) => change((found) => codec.amendMember(found, member, patch)),

    leave: (member) =>
      change((found) => {
        if (found.value) assertTeammate(found.value, member);
        return codec.removeMember(found, member);
      }),

    watch: (signal) => watchTeam(database, wakes, row, until(signal)),

    compact: ({ evenIfActive = false } = {}) =>
      database.transaction(async (transaction) => {
        const { config } = await look(transaction.query);
        if (!evenIfActive) assertIdle(name, config);
        return compact(transaction, id);
      }),

    history: (after, signal) => eventsOf(database, id, after, signal && { wakes, signal: until(signal) }),
  });
}

/** The member that joined under a key, as it stands now; as it joined where it has left. */
function memberNow(team: TeamConfig, before: Member): Member {
  const there = memberOf(team, before.name);
  return there && there.joinedAt === before.joinedAt && there.prompt === before.prompt ? there : before;
}

/** Posts the first message of a key, or finds it. */
async function sendOnce(
  transaction: Transaction,
  place: Place,
  { by, once }: { readonly by: string; readonly once: string },
  post: () => Promise<Message>,
): Promise<Message> {
  const { query } = transaction;
  await holdInbox(transaction, place);
  const key = `send ${JSON.stringify([place.name, once])}`;
  const kept = keptUnder<{ readonly seq: string }>(query, `member ${place.team} ${by}`, key);
  const before = await kept.read();
  const sent = (before && (await messageOf(query, place, before.seq))) ?? (await post());
  if (!before) await kept.keep({ seq: sent.key });
  return sent;
}

import { once } from "node:events";
import { codecFor, layoutOf, leadName } from "@troupe/protocol";
import { openInbox } from "../src/files/index.ts";
import type { Participant, Team } from "../src/index.ts";
import type { Fault } from "./engines.ts";

/**
 * Faults in members and mail that an engine may have, each with a part of the name of the law by
 * which it is found.
 */
export const memberFaults: Readonly<Record<string, readonly [law: string, fault: Fault]>> = {
  "a team that is there is opened instead of made": [
    "of several that create a team",
    {
      store: (store) => ({
        createTeam: async (draft) => (await store.openTeam(draft.name)) ?? (await store.createTeam(draft)),
      }),
    },
  ],
  "a name that is taken is given another number": [
    "of several that join under one name",
    {
      team: (team) => ({
        join: (draft) => team.join(draft).catch(() => team.join({ ...draft, name: `${draft.name}-2` })),
      }),
    },
  ],
  "one who joins while another does is lost": [
    "all who join at once",
    {
      team: (team) => {
        let isJoining = false;
        return {
          async join(draft, options) {
            const isLost = isJoining;
            isJoining = true;
            const member = await team.join(draft, options).finally(() => {
              isJoining = false;
            });
            if (isLost) await team.leave(member.name);
            return member;
          },
        };
      },
    },
  ],
  "the lead may leave": [
    "a member that left acts no more",
    { team: (team) => ({ leave: (name) => team.leave(name).catch(() => true) }) },
  ],
  "a message may say whom it is from": [
    "from the member whose handle sent it",
    { participant: (_, team) => ({ send: async (...args) => (await team.as(leadName)).send(...args) }) },
  ],
  "strangers have mail": [
    "a stranger is sent nothing",
    {
      participant: (self, _, root) => ({
        async send(to, content, stamp) {
          if (to === "mallory")
            await openInbox({ path: layoutOf(root).team("crew").inbox(to), codec: codecFor("2026-02") })
              .append({ from: "x", text: "x", timestamp: "x" })
              .catch(() => {});
          return self.send(to, content, stamp);
        },
      }),
    },
  ],
  "the key of a message is forgotten": [
    "that are sent under one key",
    { participant: (self) => ({ send: (to, content, stamp) => self.send(to, content, stamp) }) },
  ],
  "the newest comes first": [
    "stays in its order",
    {
      team: (team) => ({
        mail: (name) => ({
          page: (options) =>
            team
              .mail(name)
              .page(options)
              .then(({ value, problems }) => ({ value: value?.toReversed(), problems })),
        }),
      }),
    },
  ],
  "taking is acknowledging": [
    "looking and taking change nothing",
    {
      lease: (lease) => ({
        async take() {
          const taken = await lease.take();
          await lease.acknowledge(new Set(taken.map(({ key }) => key)));
          return taken;
        },
      }),
    },
  ],
  "what is acknowledged comes again": [
    "looking and taking change nothing",
    { lease: () => ({ acknowledge: async () => {} }) },
  ],
  "pages are not limited": [
    "a page has the last",
    { team: (team) => ({ mail: (name) => ({ page: () => team.mail(name).page() }) }) },
  ],
  "two consume the same mail": [
    "mail has one consumer",
    {
      participant: (self, team, root) => ({ receive: async () => leaseOfNobody(self, team, root) }),
    },
  ],
  "who has no time to wait need not": [
    "mail that another consumes is refused",
    {
      participant: (self, team, root) => ({
        receive: async (options) => (options ? leaseOfNobody(self, team, root) : self.receive()),
      }),
    },
  ],
  "a holder that was stopped for too long acknowledges": [
    "a consumer that was stopped",
    {
      lease: (lease, inbox) => ({
        acknowledge: (keys) => lease.acknowledge(keys).catch(async () => void (await inbox.acknowledge(keys))),
      }),
    },
  ],
  "a wake is missed": [
    "a consumer that waits for mail is woken",
    {
      lease: (lease) => ({
        async wait(signal = new AbortController().signal) {
          const there = await lease.take();
          if (there.length === 0) await once(signal, "abort");
          return there;
        },
      }),
    },
  ],
  "a watch hears every change but one": [
    "a watch misses no change",
    {
      team: (team) => ({
        watch(signal) {
          const changes = team.watch(signal);
          const hear = changes.next.bind(changes);
          let heard = 0;
          const next = async () => {
            for (;;) {
              const change = await hear();
              if (change.done || change.value.kind !== "inbox" || ++heard !== 2) return change;
            }
          };
          return Object.assign(changes, { next });
        },
      }),
    },
  ],
};

/** As a lease, but others have one of the same mail. */
function leaseOfNobody(self: Participant, team: Team, root: string) {
  const inbox = openInbox({ path: layoutOf(root).team(team.name).inbox(self.name), codec: codecFor(team.form) });
  const acknowledge = async (keys: ReadonlySet<string>) => void (await inbox.acknowledge(keys));
  const { take, wait } = inbox;
  return { epoch: crypto.randomUUID(), take, wait, acknowledge, release: async () => {} };
}

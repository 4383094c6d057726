import type { Finding } from "./checks.ts";
import { type Client, isBefore } from "./client.ts";

/** A limit that was looked into: where it lies, and why. */
interface KnownLimit {
  readonly kind: Client["kind"];
  /** The first and the last version that has it, as far as they were tried. */
  readonly from: string;
  readonly to: string;
  readonly scenario: string;
  /** The beginning of the check. */
  readonly what: string;
  /** The failure that it explains; a check that fails in another way is not explained by it. */
  readonly shows: RegExp;
  readonly side: "client" | "Troupe";
  readonly why: string;
}

const marking =
  "its lead reads its inbox without the lock: it marks as read what came between its reading and its marking, and shows again what it could not mark (without Troupe 11 of 400 messages between a lead and a teammate of 2.1.118 were lost: --scenarios control)";
const lockedOnce =
  "it tries a lock of an inbox once and says success all the same: what it sends while anybody holds it is gone. Our consumers wait for a pause of it before they take the lock; the first time they cannot know";
const tornByItself =
  "a teammate in a pane writes config.json in place at the begin and end of each turn; when it must ask its lead it reads it without the lock, and where it meets its own half-written file it asks nobody and says that it has asked (its debug log: Failed to read team file, Cannot send permission request: leader name not found). Two such writes at once leave a brace too many for good. Seen with a lead of its own too; the driver lets it come to rest before it goes on";
const takenWhileBusy =
  "it takes mail from its inbox also in the middle of a turn, keeps it in memory and tells its model behind the turn; an agreement to end that its last teammate sent in that moment, or the approval of a plan, it acts upon (the roster entry is gone, its mode another one, the inbox empty) and tells its model nothing. The driver lets its turn end first";

const looksNoMore =
  "its lead looks at its inbox no more once its last in-process teammate has ended: the agreement of that one, written after its last look, stays unread for good, and so the roster entry (its debug log: lifecycle aborted, and no readMailbox behind it). Nobody of ours is in the team by then";
const marksLate =
  "its lead looks at its inbox each second, also while it still takes out what it took the second before: on a busy machine, or beside others at the lock, it tells its model the same again (its debug log: 5 submitted, and 6 found before 5 were pruned)";
const mayNotAnswer =
  "a teammate in the process of its lead cannot answer a request to end: its SendMessage says that structured messages cannot be sent by a background subagent, and it stays in the roster until its lead ends. Nobody of ours is in the team by then";
const anyLength =
  "it takes a name of any length, which later versions do not offer: the rule of the linter is that of the later ones";
const earlierLoader =
  "it still reads definitions as clients of 2026-02 do, also where later versions of 2026-11 are stricter (names, hooks) or more lenient (a byte order mark): the rules of the linter are those of the later ones";
const asksAndBreaks =
  "a teammate in a terminal breaks as it waits for the answer of its lead: <Box> can't be nested inside <Text> component stands on its screen, and it takes no mail any more (seen without Troupe too: --scenarios control)";

const withoutLock =
  "it takes no lock: it reads an inbox, changes it and writes it in place, and what was written meanwhile is gone";
const overwritesItself =
  "it takes no lock, also among the calls of one answer: of twenty messages in one answer each is written over what it read before the others, and one or two of them stay";
const tellsNoOwner = "it sends no task_assignment: an owner learns of a task from the list alone";
const stricterSkills = "it does not offer a definition whose skills hold a number; other clients leave that one out";
/**
 * A few messages are missing; any number come twice, since all that could not be marked are shown
 * again.
 */
const few = /^of 200 [1-3]?\d are missing and \d+ come twice$/;
const codebuddy = { kind: "codebuddy", from: "0.3.201", to: "0.3.201", side: "client" } as const;

export const knownLimits: readonly KnownLimit[] = [
  {
    ...codebuddy,
    scenario: "1",
    what: "200 messages of ours reach",
    shows: /^of 200 \d+ are missing/,
    why: withoutLock,
  },
  {
    ...codebuddy,
    scenario: "1",
    what: "200 messages of ours stand in",
    shows: /^of 200 \d+ are missing/,
    why: withoutLock,
  },
  {
    ...codebuddy,
    scenario: "1",
    what: "200 messages of its model",
    shows: /^of 200 \d+ are missing/,
    why: overwritesItself,
  },
  { ...codebuddy, scenario: "1", what: "a task that its model gives to ours", shows: /assignment/, why: tellsNoOwner },
  {
    ...codebuddy,
    scenario: "5",
    what: "a definition in which our linter finds no error",
    shows: /^1 differ: def-142 /,
    why: stricterSkills,
  },
  { ...codebuddy, scenario: "2", what: "a task that their model gives it", shows: /assignment/, why: tellsNoOwner },
  {
    kind: "claude-code",
    from: "2.1.34",
    to: "2.1.118",
    scenario: "1",
    what: "200 messages of ours reach",
    shows: few,
    side: "client",
    why: marking,
  },
  {
    kind: "claude-code",
    from: "2.1.34",
    to: "2.1.118",
    scenario: "1",
    what: "200 messages of its model",
    shows: few,
    side: "client",
    why: lockedOnce,
  },
  {
    kind: "claude-code",
    from: "2.1.34",
    to: "2.1.118",
    scenario: "1",
    what: "the end of the team is seen by ours",
    shows: /^waited 60 s for the end of helper/,
    side: "client",
    why: looksNoMore,
  },
  {
    kind: "claude-code",
    from: "2.1.178",
    to: "2.1.328",
    scenario: "1",
    what: "200 messages of ours reach",
    shows: /^of 200 0 are missing and \d{1,2} come twice$/,
    side: "client",
    why: marksLate,
  },
  {
    kind: "claude-code",
    from: "2.1.178",
    to: "2.1.178",
    scenario: "1",
    what: "the end of the team is seen by ours",
    shows: /^waited 60 s for the end of helper/,
    side: "client",
    why: mayNotAnswer,
  },
  {
    kind: "claude-code",
    from: "2.1.34",
    to: "2.1.118",
    scenario: "2",
    what: "one that joined by itself hears",
    shows: /the model of team-lead to be told/,
    side: "client",
    why: marking,
  },
  ...[
    "a call that needs permission is asked at our lead",
    "a call that is denied at our lead",
    "a plan that our model approves",
  ].map((what) => ({
    kind: "claude-code" as const,
    from: "2.1.118",
    to: "2.1.118",
    scenario: "3",
    what,
    shows: /^waited 60 s for the result of/,
    side: "client" as const,
    why: asksAndBreaks,
  })),
  ...["a call that needs permission is asked at our lead", "a request to end that it rejects", "it agrees to end"].map(
    (what) => ({
      kind: "claude-code" as const,
      from: "2.1.118",
      to: "2.1.118",
      scenario: "7",
      what,
      shows: /^waited 60 s for the (result of|request to end)/,
      side: "client" as const,
      why: asksAndBreaks,
    }),
  ),
  {
    kind: "claude-code",
    from: "2.1.34",
    to: "2.1.328",
    scenario: "3",
    what: "a call that needs permission is asked",
    shows: /^who asked .* found \[\]$/,
    side: "client",
    why: tornByItself,
  },
  {
    kind: "claude-code",
    from: "2.1.178",
    to: "2.1.328",
    scenario: "3",
    what: "a plan that our model approves",
    shows: /^waited 60 s for the approval/,
    side: "client",
    why: takenWhileBusy,
  },
  {
    kind: "claude-code",
    from: "2.1.260",
    to: "2.1.260",
    scenario: "5",
    what: "a definition in which our linter finds an error",
    shows: /^1 differ: def-043 /,
    side: "client",
    why: anyLength,
  },
  ...[
    { what: "a definition in which our linter finds no error", shows: /^1 differ: def-015 / },
    { what: "a definition in which our linter finds an error", shows: /^14 differ: def-037 / },
  ].map((one) => ({
    ...one,
    kind: "claude-code" as const,
    from: "2.1.178",
    to: "2.1.205",
    scenario: "5",
    side: "client" as const,
    why: earlierLoader,
  })),
  {
    kind: "claude-code",
    from: "2.1.178",
    to: "2.1.328",
    scenario: "2",
    what: "one in its pane agrees to end",
    shows: /the model of team-lead to be told shutdown_approved/,
    side: "client",
    why: takenWhileBusy,
  },
];

/** The limit that explains why a check fails; undefined for what nobody has looked into. */
export const limitOf = (
  client: Client,
  scenario: string,
  { what, note = "" }: Pick<Finding, "what" | "note">,
): KnownLimit | undefined =>
  knownLimits.find(
    (limit) =>
      limit.kind === client.kind &&
      limit.scenario === scenario &&
      what.startsWith(limit.what) &&
      limit.shows.test(note) &&
      !isBefore(client.version, limit.from) &&
      !isBefore(limit.to, client.version),
  );

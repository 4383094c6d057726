import { basename, join } from "node:path";
import { planDigest, TroupeError } from "@troupe/protocol";
import type { Team } from "@troupe/store";
import { eventIn, type OpenRequest, openRequests } from "@troupe/team";
import { ageText } from "../age.ts";
import type { Answer, Call } from "../command.ts";
import { openStore, openTeam, type StorePlace } from "../open.ts";
import { type Printed, paragraphs, type Span } from "../paint.ts";
import { chosenStore } from "../store-choice.ts";

/** A request that is shown here; of a plan with its text, where that can be read. */
export type Shown = OpenRequest & { readonly text: string | undefined };

/** The requests that wait in a team, of one kind or of both, the oldest first. */
export async function waitingIn(
  call: StorePlace,
  team: Parameters<typeof openRequests>[0],
  kind?: OpenRequest["kind"],
): Promise<readonly Shown[]> {
  const open = (await openRequests(team)).filter((one) => kind === undefined || one.kind === kind);
  return Promise.all(
    open.map(async (one) => ({ ...one, text: one.kind === "plan" ? await planOf(call, one) : undefined })),
  );
}

/** The plan that was handed in: its message, else as it is kept, where that is still the same. */
async function planOf(
  call: StorePlace,
  { plan, path, digest }: Extract<OpenRequest, { kind: "plan" }>,
): Promise<string | undefined> {
  if (plan !== undefined) return plan;
  const { url } = chosenStore(call);
  const isHere = path?.startsWith(join(call.root, "plans/")) && !path.includes("/../");
  // On another machine the directory is another one.
  if (path === undefined || (url === undefined && !isHere)) return undefined;
  try {
    const text = await (await openStore(call)).readPlan(basename(path, ".md"));
    return text !== undefined && planDigest(text) === digest ? text : undefined;
  } catch {
    return undefined;
  }
}

/** The one that is meant: by its id, a beginning of that, or the member that asks. */
export function requestCalled(team: string, kind: OpenRequest["kind"], waiting: readonly Shown[], word: string): Shown {
  const exact = waiting.filter(({ id, from }) => id === word || from === word);
  const found = exact.length > 0 ? exact : waiting.filter(({ id }) => id.startsWith(word));
  if (found.length === 1 && found[0]) return found[0];
  const ids = (found.length > 1 ? found : waiting).map(({ id }) => id).join(", ");
  const none =
    waiting.length === 0
      ? `no ${kind} request waits in ${team}`
      : `no ${kind} request is ${word}: choose one of ${ids}`;
  const message = found.length > 1 ? `${word} means several requests: choose one of ${ids}` : none;
  throw new TroupeError(found.length > 1 ? "arguments_invalid" : "task_unknown", message, { request: word });
}

/** Lists what waits. */
export async function listRequests(
  call: Call<{ team: string; request?: string | undefined }>,
  kind: OpenRequest["kind"],
): Promise<Answer> {
  const team = await openTeam(call, call.args.team);
  const all = await waitingIn(call, team, kind);
  const { request } = call.args;
  const shown = request === undefined ? all : [requestCalled(team.name, kind, all, request)];
  return {
    document: { team: team.name, requests: shown.map(documentOf) },
    text: shown.flatMap((one, at) => [...(at === 0 ? [] : [""]), ...requestLines(one, call.now())]),
    ...(shown.length === 0 && { remark: `no ${kind} request waits in ${team.name}` }),
  };
}

function documentOf(one: Shown) {
  const { id, kind, from, at } = one;
  if (one.kind === "plan") return { id, kind, from, at, plan: one.text ?? null, path: one.path ?? null };
  return { id, kind, from, at, tool: one.tool, reason: one.reason, input: one.request?.input ?? null };
}

/** A request in words: who asks for what and since when, and below that all of it. */
function requestLines(one: Shown, now: Date): Printed[] {
  return [[...requestHead(one, now), { text: `  ${one.id}`, style: "dim" }], ...requestBody(one)];
}

/** Who asks for what, and since when. */
export function requestHead(one: Shown, now: Date): Span[] {
  const age = ageText(now.getTime() - Date.parse(one.at));
  const what = one.kind === "plan" ? "asks to carry out a plan" : `asks to use ${one.tool}: ${one.reason}`;
  return [{ text: one.from, style: "bold" }, ` ${what}  `, { text: age, style: "dim" }];
}

/** All that is asked for. */
export function requestBody(one: Shown): Printed[] {
  if (one.kind === "plan")
    return paragraphs(
      one.text?.trimEnd() ?? `(the plan cannot be read here${one.path ? `: ${one.path}` : ""})`,
      "    ",
    );
  if (!one.request) return ["    (too long to be shown here: answer at the lead's screen)"];
  return Object.entries(one.request.input).flatMap(([name, value]) => {
    const lines = (typeof value === "string" ? value : JSON.stringify(value)).split("\n");
    return lines.length === 1
      ? [`    ${name}: ${lines[0]}`]
      : [`    ${name}:`, ...paragraphs(lines.join("\n"), "      ")];
  });
}

/** What the asker records of the answer that it heard; undefined if it does so too late. */
export async function outcomeOf(team: Team, { kind, id, from }: OpenRequest, signal: AbortSignal) {
  for await (const recorded of team.history(undefined, signal)) {
    const event = eventIn(recorded);
    if (event?.kind === kind && recorded.by === from && event.id === id && event.phase !== "asked") return event.phase;
  }
  return undefined;
}

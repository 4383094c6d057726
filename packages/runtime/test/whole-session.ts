import { setImmediate as nextRound } from "node:timers/promises";
import { fault, type MessagesRequest, type Reply as ModelReply, text, toolUse } from "@troupe/fake-anthropic";
import type { TurnEnd } from "@troupe/team";
import type { CandidateDeps, MemberEngine, WholeCandidate } from "@troupe/team/testing";
import { ledgerOf } from "../src/journal/ledger.ts";
import { attendInteractive } from "../src/session/attend.ts";
import { openSession } from "../src/session/open.ts";
import { faked } from "./faked.ts";
import { changed } from "./sessions.ts";

/** What an answer to a turn waits for: its end, as the test says it. */
type Held = (end: TurnEnd) => void;

type Talk = Pick<MessagesRequest, "messages">;

const isTold = (block: string) => block.startsWith("<teammate-message");
const textsIn = ({ messages }: Talk) =>
  messages.flatMap(({ role, content }) => (role === "user" ? content : [])).map((block) => String(block["text"]));

/**
 * The call with which the model is told to answer the last thing that it heard, if that has one.
 */
function offeredCall({ messages }: Talk) {
  const last = (messages.at(-1)?.content ?? []).map((block) => String(block["text"])).join("\n");
  const call = /with SendMessage (\{.*?\}\})/.exec(last)?.[1];
  return call === undefined ? undefined : (JSON.parse(call) as { readonly to: string; readonly message: object });
}

/**
 * A whole session against a Messages API on this machine, attended as the command line does: a lead
 * as at a terminal, a teammate as a member. Each answer of the model waits for the end of the turn.
 */
export function wholeSession(): MemberEngine<WholeCandidate> {
  let told: readonly string[] = [];
  let asked = 0;
  let reply: CandidateDeps["reply"] = { behavior: "allow" };
  let held: Held | undefined;
  let failing: string | undefined;
  let stage: ReturnType<typeof faked> | undefined;

  const answered = async (request: MessagesRequest): Promise<ModelReply> => {
    told = textsIn(request).filter(isTold);
    const call = offeredCall(request);
    if (call) {
      const why = reply.behavior === "deny" ? reply.message : "";
      const answer = { ...call.message, approve: reply.behavior === "allow", reason: why, feedback: why };
      return toolUse("SendMessage", { ...call, message: answer });
    }
    const failed = failing;
    failing = undefined;
    if (failed !== undefined) return fault.status(400, "invalid_request_error", failed);
    const { text: said, failure } = await new Promise<TurnEnd>((resolve) => {
      held = resolve;
    });
    failing = failure?.message;
    // What is said last in a turn that fails is said before its last call.
    return failure ? [text(said), toolUse("TaskList", {})] : said || "Done.";
  };

  return {
    kind: "session",
    isWhole: true,
    async open({ seat, reply: given }) {
      stage ??= faked({ rule: answered });
      const { deps } = await stage;
      reply = given;
      const session = openSession(
        changed(deps, {
          sessionId: seat.self.name,
          revision: seat.team.form === "2026-11" ? "2026-11" : "2026-02",
          seat,
          async ask() {
            asked += 1;
            return given;
          },
        }),
      );
      const membership = session.membership();
      if (!membership) throw new Error(`${seat.self.name} has no seat`);
      const ending = new AbortController();
      const { signal } = ending;
      const attendance = membership.isLead
        ? attendInteractive({
            agent: session,
            signal,
            mail: session.mail,
            uiFree: async () => {},
          })
        : session.attendTeam(signal);
      const drained = (async () => {
        for await (const _ of attendance);
      })();
      let failure: unknown;
      let isRunning = true;
      const over = drained
        .catch((error: unknown) => {
          failure = error;
        })
        .finally(() => {
          isRunning = false;
        });
      const alive = async () => {
        await nextRound();
        if (failure !== undefined) throw failure;
      };
      return {
        membership,
        ledger: ledgerOf(session.journal),
        told: () => told,
        asked: () => asked,
        begin: alive,
        async end(end) {
          held?.(end);
          held = undefined;
          await alive();
        },
        isRunning: () => isRunning,
        async stop() {
          ending.abort("shutdown");
          await session.close();
          await over;
        },
      };
    },
  };
}

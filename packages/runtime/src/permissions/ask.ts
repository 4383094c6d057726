import type { PermissionUpdate } from "@troupe/protocol";

/** A call that somebody has to decide about. */
export interface Question {
  /** Of the question, not of the call. */
  readonly id: string;
  /** The id of the call. */
  readonly call: string;
  readonly tool: string;
  readonly input: unknown;
  readonly reason: string;
  readonly suggestions: readonly PermissionUpdate[];
  /** What it comes to by now, for whoever lets questions wait: an answer to another may have settled it. */
  readonly now?: () => Reply | undefined;
  /** The agent that asks, where it is not the one the person talks to. */
  readonly from?: Badge;
}

/** By what a person tells one agent from another. */
export interface Badge {
  readonly name: string;
  readonly color?: string;
}

export type Reply =
  | { readonly behavior: "allow"; readonly updatedInput?: unknown; readonly updates?: readonly PermissionUpdate[] }
  | { readonly behavior: "deny"; readonly message: string; readonly interrupt?: boolean };

/** Whoever can be asked: a terminal, a parent, a mailbox. The signal says that the answer is of no use any more. */
export type Ask = (question: Question, signal: AbortSignal) => Promise<Reply>;

/** Where nobody is there to answer. */
export const askNobody: Ask = async ({ tool, reason }) => ({
  behavior: "deny",
  message: `nobody can be asked about it: ${reason}. A rule for ${tool} in permissions.allow, or another permission mode, would let it run`,
});

/** Hands the questions of an agent to whoever its parent asks, marked with the name of the one that asks. */
export const bubbleTo =
  (parent: Ask, badge: Badge): Ask =>
  (question, signal) =>
    parent({ ...question, from: question.from ?? badge }, signal);

/** One answer to one question: the first, or a denial when the time is over, the signal fires or asking fails. */
export async function answerTo(ask: Ask, question: Question, timeoutMs: number, signal: AbortSignal): Promise<Reply> {
  const over = new AbortController();
  const denied = (message: string): Reply => ({ behavior: "deny", message });
  const { promise, resolve } = withResolve<Reply>();
  const timer = setTimeout(() => resolve(denied(`nobody answered within ${timeoutMs} ms`)), timeoutMs);
  const stop = () => resolve(denied("the question was taken back"));
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  else {
    const asked = Promise.resolve().then(() => ask(question, over.signal));
    asked.then(resolve, (error: unknown) =>
      resolve(denied(`nobody could be asked: ${error instanceof Error ? error.message : error}`)),
    );
  }
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
    over.abort();
  }
}

function withResolve<Value>() {
  let resolve: (value: Value) => void = () => {};
  const promise = new Promise<Value>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

import type { Readable, Writable } from "node:stream";
import { type ErrorCode, isTroupeError } from "@troupe/protocol";
import { type Method, type MethodsDeps, openMethods, type Params } from "./methods.ts";

export interface AdapterDeps extends MethodsDeps {
  readonly input: Readable;
  readonly output: Writable;
}

interface Request {
  readonly id: number;
  readonly method: string;
  readonly params: Params;
}

/**
 * Speaks the adapter protocol of the conformance suite for Troupe, until the suite says `bye` or
 * closes the input.
 */
export async function serveAdapter({ input, output, ...deps }: AdapterDeps): Promise<void> {
  const methods = await openMethods(deps);
  for await (const line of linesOf(input)) {
    const { id, method, params } = JSON.parse(line) as Request;
    const answer = await answerTo(methods[method], params);
    output.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...answer })}\n`);
    if (method === "bye") return;
  }
}

async function answerTo(method: Method | undefined, params: Params) {
  if (!method) return { error: { code: -32601, message: "there is no such method" } };
  try {
    return { result: await method(params) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { error: { code: isTroupeError(error) ? codes[error.code] : -32603, message } };
  }
}

const [notFound, conflict, blocked, invalid, locked, refused] = [1001, 1002, 1003, 1004, 1005, 1006];

const codes: Readonly<Record<ErrorCode, number>> = {
  arguments_invalid: invalid,
  document_invalid: invalid,
  document_unreadable: invalid,
  document_unwritable: invalid,
  id_invalid: invalid,
  inbox_full: refused,
  lead_fixed: refused,
  lease_lost: locked,
  lock_impossible: locked,
  lock_lost: locked,
  lock_unavailable: locked,
  member_unknown: refused,
  message_too_large: refused,
  name_invalid: invalid,
  name_taken: conflict,
  path_escaping: invalid,
  recipient_unknown: notFound,
  revision_read_only: refused,
  session_leading: conflict,
  session_open: conflict,
  store_closed: refused,
  store_refused: refused,
  store_unavailable: locked,
  task_blocked: blocked,
  task_cyclic: invalid,
  task_unknown: notFound,
  team_active: refused,
  team_exists: conflict,
  team_unknown: notFound,
  teammate_failed: refused,
};

/** Splits at line feeds only, because JSON may contain every other separator. */
async function* linesOf(input: Readable): AsyncGenerator<string> {
  let rest = "";
  input.setEncoding("utf8");
  for await (const text of input) {
    const lines = `${rest}${String(text)}`.split("\n");
    rest = lines.pop() ?? "";
    yield* lines.filter((line) => line.trim() !== "");
  }
}

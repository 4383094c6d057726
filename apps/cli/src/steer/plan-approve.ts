import type { PermissionMode } from "@troupe/protocol";
import type { Answer, Call } from "../command.ts";
import { answer } from "./answer.ts";

export const run = (
  call: Call<{ team: string; request: string }, { note?: string; mode?: PermissionMode }>,
): Promise<Answer> => answer(call, "plan", "allowed");

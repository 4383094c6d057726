import type { Answer, Call } from "../command.ts";
import { answer } from "./answer.ts";

export const run = (call: Call<{ team: string; request: string }, { note?: string }>): Promise<Answer> =>
  answer(call, "plan", "denied");

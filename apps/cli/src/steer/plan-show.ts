import type { Answer, Call } from "../command.ts";
import { listRequests } from "./requests.ts";

export const run = (call: Call<{ team: string; request: string | undefined }>): Promise<Answer> =>
  listRequests(call, "plan");

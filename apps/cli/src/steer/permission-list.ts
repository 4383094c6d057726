import type { Answer, Call } from "../command.ts";
import { listRequests } from "./requests.ts";

export const run = (call: Call<{ team: string }>): Promise<Answer> => listRequests(call, "permission");

import type { Answer, Call } from "../command.ts";
import { requestedFor } from "../host/requested.ts";
import { lookAt } from "../open.ts";
import { activitiesIn } from "./activity.ts";
import { overviewDocument } from "./overview-document.ts";
import { overviewText } from "./overview-text.ts";

export async function run(call: Call<{ team: string }>): Promise<Answer> {
  const overview = await lookAt(call, call.args.team);
  const activities = await activitiesIn(call, overview);
  const requested = await requestedFor(call, overview.team);
  return {
    document: overviewDocument(overview, activities, requested),
    text: overviewText(overview, activities, requested),
  };
}

import type { Answer, Call } from "../command.ts";
import { lookAt } from "../open.ts";
import { activitiesIn } from "./activity.ts";
import { overviewDocument } from "./overview-document.ts";
import { overviewText } from "./overview-text.ts";

export async function run(call: Call<{ team: string }>): Promise<Answer> {
  const overview = await lookAt(call, call.args.team);
  const activities = await activitiesIn(call, overview);
  return { document: overviewDocument(overview, activities), text: overviewText(overview, activities) };
}

import { settingsOf } from "@troupe/runtime";
import { login, openCredentials } from "@troupe/runtime/mcp";
import { timeLimit } from "@troupe/store";
import { openBrowser } from "../browser.ts";
import { type Answer, type Call, exits } from "../command.ts";
import { counted } from "../paint.ts";
import { setVariables } from "../session/environment.ts";
import { serverOf } from "./server.ts";

/** How long a person has to log in. */
const patienceMs = 5 * 60_000;

export async function run(call: Call<{ server: string }, { "no-browser"?: boolean }>): Promise<Answer> {
  const { server } = call.args;
  const found = serverOf(server, settingsOf(call).settings);
  if ("remark" in found) return found;
  const environment = setVariables(call);
  const end = await login({
    config: found.config,
    environment,
    credentials: openCredentials(call.root),
    signal: AbortSignal.any([call.signal, timeLimit(patienceMs)]),
    show(page) {
      call.note(`log in at ${page.href}`);
      if (!call.options["no-browser"]) openBrowser(page, call);
    },
  });
  if (!end.isDone) return { exit: exits.failed, remark: `no login at ${server}: ${end.why}` };
  const { wasNeeded, tools } = end;
  return {
    document: { server, wasNeeded, tools },
    text: [`${server} ${wasNeeded ? "knows you now" : "needs no login"}, and offers ${counted(tools, "tool")}`],
  };
}

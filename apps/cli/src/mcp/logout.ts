import { settingsOf } from "@troupe/runtime";
import { forgetLogin, openCredentials } from "@troupe/runtime/mcp";
import { type Answer, type Call, exits } from "../command.ts";
import { setVariables } from "../session/environment.ts";
import { serverOf } from "./server.ts";

export async function run(call: Call<{ server: string }>): Promise<Answer> {
  const { server } = call.args;
  const found = serverOf(server, settingsOf(call).settings);
  if ("remark" in found) return found;
  const wasThere = forgetLogin({
    config: found.config,
    environment: setVariables(call),
    credentials: openCredentials(call.root),
  });
  if (!wasThere) return { exit: exits.absent, remark: `there is no login at ${server}` };
  return { document: { server }, text: [`the login at ${server} is removed from this machine`] };
}

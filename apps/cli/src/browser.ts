import { programIn, runProcess } from "@troupe/process";
import type { Call } from "./command.ts";
import { setVariables } from "./session/environment.ts";

/** Where there is none, the person opens the page that was shown. */
export function openBrowser({ href }: URL, call: Pick<Call, "environment">): void {
  const environment = setVariables(call);
  const program = programIn(process.platform === "darwin" ? "open" : "xdg-open", environment["PATH"]);
  if (program) void runProcess({ program, args: [href], cwd: "/", environment, timeoutMs: 10_000, keptBytes: 0 });
}

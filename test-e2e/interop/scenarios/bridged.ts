import type { Given, Scenario } from "../scenario.ts";
import { leadOverBridge } from "./lead-over-bridge.ts";
import { teammateOverBridge } from "./teammate-over-bridge.ts";

const whole = "mail, tasks and requests to end over a bridge";

/** 7: a team on PostgreSQL, and a client of theirs in files that a bridge ties to it. */
export const bridged: Scenario = {
  id: "7",
  title: "a team on PostgreSQL, theirs in files behind troupe bridge: as its lead, and as a teammate of our lead",
  isOnServer: true,
  async run(given: Given) {
    const { form, kind } = given.client;
    if (form === "between")
      return given.notApplicable(whole, "a team of a form between the revisions is on no database");
    if (kind === "codebuddy")
      return given.notApplicable(whole, "it takes no lock, so that whatever anybody writes beside it can be gone (1)");
    await leadOverBridge(given);
    await teammateOverBridge(given);
  },
};

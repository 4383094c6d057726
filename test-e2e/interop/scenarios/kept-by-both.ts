import type { Scenario } from "../scenario.ts";
import { shareSettings } from "../shared/settings.ts";
import { shareSkills } from "../shared/skills.ts";
import { shareTranscripts } from "../shared/transcripts.ts";

/** 6: what both keep in the same places. */
export const keptByBoth: Scenario = {
  id: "6",
  title: "transcripts, settings and skills: ours read by them, and theirs by us",
  async run(given) {
    if (given.client.kind === "codebuddy") {
      const why = "it keeps sessions, settings and skills below .codebuddy, in forms of its own";
      return given.notApplicable("sessions, settings and skills of one are the other's", why);
    }
    await shareTranscripts(given);
    await shareSettings(given);
    await shareSkills(given);
  },
};

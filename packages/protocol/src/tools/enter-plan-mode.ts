import { z } from "zod";
import { defineToolBoundary } from "./boundary.ts";

/** A call of EnterPlanMode says nothing. */
export const EnterPlanModeInput = z.looseObject({}).meta({
  title: "EnterPlanMode input",
  description: "The agent restricts itself to reading while it makes a plan; it may leave without approval.",
  examples: [{}],
});
export type EnterPlanModeInput = z.infer<typeof EnterPlanModeInput>;

/** The EnterPlanMode tool. */
export const enterPlanModeTool = defineToolBoundary({
  name: "EnterPlanMode",
  aliases: [],
  input: { "2026-02": EnterPlanModeInput, "2026-11": EnterPlanModeInput },
  output: {},
});

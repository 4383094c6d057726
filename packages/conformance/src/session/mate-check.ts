import type { Check, CheckContext } from "../check.ts";
import { revisions } from "../requirement.ts";
import { type MateOptions, type MateStage, withMate } from "./mate-stage.ts";

interface MateCheck extends Pick<Check, "id" | "title" | "requirements"> {
  readonly level?: Check["level"];
  readonly revisions?: Check["revisions"];
  readonly with?: MateOptions;
  readonly run: (stage: MateStage, context: CheckContext) => Promise<void>;
}

/** A check of a teammate that the target's own command started, with the suite as its lead. */
export const mateCheck = ({ run, with: options = {}, level = "L3", revisions: some, ...rest }: MateCheck): Check => ({
  ...rest,
  level,
  revisions: some ?? revisions,
  needs: { methods: [], session: "teammate" },
  run: (context) => withMate(context, options, (stage) => run(stage, context)),
});

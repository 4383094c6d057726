import type { Scenario } from "../scenario.ts";
import { bridged } from "./bridged.ts";
import { crowd, crowdWithoutUs } from "./crowd.ts";
import { definitionsOfOurs } from "./definitions-of-ours.ts";
import { keptByBoth } from "./kept-by-both.ts";
import { memberOfOurs } from "./member-of-ours.ts";
import { probe } from "./probe.ts";
import { runtimeOfOurs } from "./runtime-of-ours.ts";
import { teammatesOfTheirs } from "./teammates-of-theirs.ts";
import { withoutUs } from "./without-us.ts";

/** All that is proved, in the order of the page. */
export const scenarios: readonly Scenario[] = [
  memberOfOurs,
  runtimeOfOurs,
  teammatesOfTheirs,
  crowd,
  definitionsOfOurs,
  keptByBoth,
  bridged,
];

/** What can be asked for besides. */
export const besides: readonly Scenario[] = [probe, withoutUs, crowdWithoutUs];

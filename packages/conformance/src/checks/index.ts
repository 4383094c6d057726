import { loadCases } from "../cases/load-cases.ts";
import type { Check } from "../check.ts";
import { concurrencyChecks } from "../concurrency/index.ts";
import { crashChecks } from "../crash/index.ts";
import { sessionChecks } from "../session/checks/index.ts";
import { departureChecks } from "./departure.ts";
import { publicationChecks } from "./publication.ts";
import { settlingChecks } from "./settling.ts";
import { textChecks } from "./texts.ts";
import { vectorChecks } from "./vectors.ts";

/** Every check there is, cheap ones first. */
export const allChecks = (): readonly Check[] => [
  ...vectorChecks(),
  ...loadCases(),
  ...settlingChecks,
  ...publicationChecks,
  ...textChecks,
  ...departureChecks,
  ...concurrencyChecks,
  ...crashChecks,
  ...sessionChecks,
];

import { checkFailure } from "../fault.ts";
import { linearise, type Model, type Operation, type SearchLimits } from "./linearise.ts";
import { errorOf } from "./models.ts";

/**
 * Fails a check unless one order of all calls explains all answers. An undecided search is the
 * suite's fault, and no pass.
 */
export function assertExplained<State>(
  operations: readonly Operation[],
  model: Model<State>,
  complaint: string,
  limits?: SearchLimits,
): void {
  const found = linearise(operations.filter(isHeard), model, limits);
  if (found.verdict === "explained") return;
  if (found.verdict === "undecided") {
    throw new Error(`the search among ${operations.length} calls was not at its end after ${found.states} states`);
  }
  const { explained, state, next } = found;
  throw checkFailure(complaint, {
    expected: "one order of all calls in which every answer is right",
    actual: `after ${explained} of ${operations.length} calls, in the state ${state}, none of the next fits`,
    next,
    history: operations,
  });
}

/** A call that failed on a lock has changed nothing and learnt nothing. */
const isHeard = (operation: Operation): boolean => errorOf(operation) !== "locked";

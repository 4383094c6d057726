/**
 * One operation as its caller saw it, on one clock: it took effect at some moment between `call`
 * and `done`.
 */
export interface Operation {
  readonly call: number;
  readonly done: number;
  readonly input: string;
  readonly output: unknown;
}

/**
 * The state after the operation if it alone happens in this state; undefined when it could not have
 * ended as it did.
 */
export type Model<State> = (state: State, operation: Operation) => State | undefined;

/**
 * Is there an order of the operations that keeps every one that ended before another began before
 * it, and in which the model explains each result? The search of Wing and Gong; what was tried in
 * vain, a set of operations and a state, is not tried again.
 */
export function isLinearisable<State>(history: readonly Operation[], initial: State, model: Model<State>): boolean {
  const operations = [...history].sort((a, b) => a.call - b.call);
  const inVain = new Set<string>();

  const canGoOn = (left: readonly Operation[], state: State): boolean => {
    if (left.length === 0) return true;
    const situation = `${left.map((operation) => operations.indexOf(operation)).join()} ${JSON.stringify(state)}`;
    if (inVain.has(situation)) return false;
    inVain.add(situation);
    const firstEnd = Math.min(...left.map(({ done }) => done));
    return left.some((operation) => {
      if (operation.call > firstEnd) return false;
      const next = model(state, operation);
      return (
        next !== undefined &&
        canGoOn(
          left.filter((other) => other !== operation),
          next,
        )
      );
    });
  };
  return canGoOn(operations, initial);
}

/** The operations that workers said, a line of JSON each. */
export const historyIn = (said: readonly (readonly string[])[]): Operation[] =>
  said.flat().map((line) => JSON.parse(line) as Operation);

/** The first and the last of many reads that saw the same; those between add nothing. */
export const atEdges = (looks: readonly Operation[]): Operation[] =>
  looks.filter(({ output }, n) =>
    [n - 1, n + 1].some((beside) => JSON.stringify(output) !== JSON.stringify(looks[beside]?.output)),
  );

/** The inputs of the operations, in the order of the calls. */
export const inputsIn = (lines: readonly string[]): string[] => historyIn([lines]).map(({ input }) => input);

/** All that was taken, in the order in which it was. */
export const takenIn = (lines: readonly string[]): string[] =>
  historyIn([lines]).flatMap(({ input, output }) => (input === "take" ? (output as string[]) : []));

import type { Declaration, Reply, Target } from "../src/target.ts";

/**
 * A target without a process, that claims every level and has no files at all, whatever it answers.
 */
export function inProcess(
  answer: (method: string) => Reply,
  quirks: Declaration["quirks"] = {},
): { readonly declaration: Declaration; readonly target: Target } {
  const declaration: Declaration = {
    name: "in-process",
    version: "1",
    revisions: ["2026-02", "2026-11"],
    levels: ["L0", "L1", "L2"],
    methods: [],
    features: {},
    quirks,
  };
  const target: Target = {
    kind: "adapter",
    label: "in-process",
    declare: async () => declaration,
    start: async ({ index, home }) => ({
      index,
      home,
      pid: () => undefined,
      call: async (method) => answer(method),
      kill: async () => {},
      pause() {},
      resume() {},
      end: async () => {},
    }),
  };
  return { declaration, target };
}

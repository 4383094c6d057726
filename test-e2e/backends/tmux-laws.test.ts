import { judgeBackend } from "@troupe/team/testing";
import { test } from "vitest";
import { describeWith } from "../require.ts";
import { failing, machine } from "./tmux-machine.ts";

describeWith("tmux", "panes of a session of their own, outside tmux", () => {
  judgeBackend({
    test,
    async engine() {
      const one = machine();
      return { ...one, failing, open: async () => one.open() };
    },
  });
});

describeWith("tmux", "panes beside their lead, in the tmux of a user", () => {
  judgeBackend({
    test,
    async engine() {
      const one = machine();
      const { environment } = one.users();
      return { ...one, failing, open: async () => one.open({ environment }) };
    },
  });
});

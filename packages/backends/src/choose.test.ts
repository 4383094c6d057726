import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type ChooseDeps, chooseBackend } from "./choose.ts";

/** The environment of a lead in a pane of tmux, and in one where tmux is not to be found. */
function inside(hasTmux = true) {
  const PATH = mkdtempSync(join(tmpdir(), "troupe-choose-"));
  onTestFinished(() => rmSync(PATH, { recursive: true }));
  if (hasTmux) {
    writeFileSync(join(PATH, "tmux"), "");
    chmodSync(join(PATH, "tmux"), 0o755);
  }
  return { PATH, TMUX: "/tmp/tmux-0/default,17,0", TMUX_PANE: "%3" };
}

const chosen = (deps: ChooseDeps) => chooseBackend(deps).backend;

test("[ATP-BCK-001] [TMUX-10] outside tmux teammates run in the process of their lead, and by themselves nowhere else", () => {
  for (const mode of [undefined, "auto"])
    for (const revision of ["2026-02", "2026-11"] as const)
      expect(chosen({ mode, revision, environment: { PATH: inside().PATH } })).toBe("in-process");
});

test("inside tmux auto means panes, which is what the older client does without being asked", () => {
  expect(chosen({ mode: "auto", revision: "2026-11", environment: inside() })).toBe("tmux");
  expect(chosen({ revision: "2026-02", environment: inside() })).toBe("tmux");
  expect(chosen({ revision: "2026-11", environment: inside() })).toBe("in-process");
  expect(chosen({ mode: "auto", revision: "2026-02", environment: inside(false) })).toBe("in-process");
  expect(chosen({ mode: "auto", revision: "2026-02", environment: { ...inside(), TMUX_PANE: undefined } })).toBe(
    "in-process",
  );
});

test.each(["tmux", "in-process", "process"])("[ATP-BCK-011] %s is chosen wherever it was asked for", (mode) => {
  for (const environment of [{}, inside(), inside(false)])
    expect(chosen({ mode, revision: "2026-11", environment })).toBe(mode);
});

test("a mode that there is not is refused with those that there are, and iTerm2 with the way to have it", () => {
  const environment = inside();
  expect(() => chooseBackend({ mode: "iterm2", revision: "2026-11", environment })).toThrow(/iTerm2.*tmux -CC/);
  expect(() => chooseBackend({ mode: "screen", revision: "2026-11", environment })).toThrow(
    /"screen".*auto, tmux, in-process, process/,
  );
});

test.each(["iTerm.app", "vscode", "ghostty", "WindowsTerminal", "Apple_Terminal"])(
  "[TEAM-26] in the terminal %s there are panes with tmux alone, and iTerm2 has them through tmux -CC",
  (terminal) => {
    const outside = { PATH: inside().PATH, TERM_PROGRAM: terminal, ITERM_SESSION_ID: "w0t0p0" };
    for (const revision of ["2026-02", "2026-11"] as const) {
      expect(chosen({ mode: "auto", revision, environment: outside })).toBe("in-process");
      expect(chosen({ mode: "auto", revision, environment: { ...outside, ...inside() } })).toBe("tmux");
      for (const mode of [terminal, "zellij", "pane"])
        expect(() => chooseBackend({ mode, revision, environment: outside })).toThrow("is no display mode");
      expect(() => chooseBackend({ mode: "iterm2", revision, environment: outside })).toThrow("run tmux -CC in iTerm2");
    }
  },
);

test("the choice comes with its reason", () => {
  const reasons = [{ mode: "tmux" }, {}, { mode: "auto" }].map(
    (deps) => chooseBackend({ revision: "2026-11", environment: {}, ...deps }).why,
  );
  expect(reasons).toEqual(["tmux was asked for", "no display mode was set", "the lead is not in tmux"]);
});

import { mkdtempSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type FakeAnthropicOptions, type MessagesRequest, startFakeAnthropic } from "@troupe/fake-anthropic";
import { buildTeammateArgs, layoutOf, type Revision, type TeammateArgs } from "@troupe/protocol";
import { openFileStore } from "@troupe/store/files";
import { onTestFinished } from "vitest";
import { awaited, untilSeen } from "../scripts/awaited.ts";
import { ended, type openTroupe } from "./command-line.ts";

/** Starts teams on disk whose lead is the test, with ann of each as a process. */
export function teammateProcesses({ home, begin }: Pick<ReturnType<typeof openTroupe>, "home" | "begin">) {
  return annIn;

  async function annIn(revision: Revision, options: FakeAnthropicOptions, more: Partial<TeammateArgs> = {}) {
    const place = mkdtempSync(join(home, "team-"));
    const root = join(place, ".claude");
    const fake = await startFakeAnthropic(options);
    onTestFinished(() => fake.close());
    const at = { cwd: place, createdAt: Date.now() };
    const store = openFileStore({ root });
    const team = await store.createTeam({ name: "crew", leadSessionId: "s", leadModel: "m", revision, ...at });
    await team.join({
      name: "ann",
      agentType: "general-purpose",
      model: "haiku",
      prompt: "p",
      joinedAt: at.createdAt,
      cwd: place,
    });
    const lead = await team.as("team-lead");
    const args = buildTeammateArgs(revision, {
      agentName: "ann",
      teamName: "crew",
      agentColor: "blue",
      parentSessionId: "s",
      agentType: "general-purpose",
      model: "haiku",
      planModeRequired: false,
      rest: [],
      ...more,
    });
    const environment = { ANTHROPIC_API_KEY: "of-no-use", ANTHROPIC_BASE_URL: fake.url, TMPDIR: place };
    const child = begin(
      [...(revision === "2026-11" ? ["teammate"] : []), ...args, "--root", root, "--json"],
      environment,
      place,
    );
    const over = ended(child);
    onTestFinished(async () => {
      child.kill("SIGKILL");
      await over;
    });
    return {
      place,
      root,
      team,
      lead,
      fake,
      child,
      /** The bodies in the lead's inbox once there is one of this type, or with these words. */
      leadHears: (what: string) =>
        untilSeen(`${what} in the lead's inbox`, () => {
          const entries: { text: string }[] = JSON.parse(
            textAt(layoutOf(root).team("crew").inbox("team-lead")) || "[]",
          );
          const bodies = entries.map(({ text }) => (text.startsWith("{") ? JSON.parse(text) : { text }));
          return bodies.findLast(({ type, text }) => type === what || text === what);
        }),
      sent: (nth: number) => fake.requests[nth]?.json as MessagesRequest,
      ended: () => awaited("the end of ann", over),
    };
  }
}

const textAt = (path: string): string => {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
};

import Anthropic from "@anthropic-ai/sdk";
import { type FakeAnthropic, type FakeAnthropicOptions, startFakeAnthropic } from "@troupe/fake-anthropic";
import { onTestFinished } from "vitest";
import { anthropicModel } from "../src/model/anthropic.ts";
import { type Stage, stage } from "./sessions.ts";

/**
 * A project of its own whose sessions ask a Messages API on this machine, through the SDK; it is
 * closed when the test is over.
 */
export async function faked(
  options: FakeAnthropicOptions,
  over: Parameters<typeof stage>[1] = {},
): Promise<Pick<Stage, "home" | "cwd" | "deps" | "asked" | "define" | "trust"> & { readonly fake: FakeAnthropic }> {
  const fake = await startFakeAnthropic(options);
  onTestFinished(() => fake.close());
  const client = new Anthropic({ baseURL: fake.url, apiKey: "none" });
  const model = anthropicModel({ client, now: () => new Date() });
  return { ...stage({}, { model, key: { model: "claude-opus-5-5", betas: [] }, ...over }), fake };
}

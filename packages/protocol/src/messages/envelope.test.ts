import { expect, test } from "vitest";
import type { EntryDraft } from "../revisions/codec.ts";
import { codecFor } from "../revisions/detect.ts";
import { type Revision, revisions } from "../revisions/revision.ts";
import { type MessageDraft, messageKinds } from "./body.ts";

const timestamp = "2026-02-13T10:10:53.467Z";
const messageId = "77c2c6cd-5f80-4858-ab91-8c1a194a7277";
const published = (type: string, revision: Revision) =>
  messageKinds.find((kind) => kind.type === type)?.published[revision].meta()?.["examples"] as MessageDraft[];

const lead = { name: "team-lead" };
const agent = { name: "alice", color: "blue" };
const note = { text: "hi", summary: "s" };

test.each<[string, EntryDraft["content"] | string, EntryDraft["from"], string]>([
  ["[INBOX-09] [ATP-INB-010] the first prompt has neither summary nor colour", { text: "go" }, lead, ""],
  ["[INBOX-09] [ATP-INB-013] lead to agent: a summary, no colour", note, lead, "summary"],
  ["[INBOX-09] [ATP-INB-014] agent to anyone: a summary and the sender's colour", note, agent, "summary color"],
  ["[ATP-INB-025] a broadcast by the lead: the summary, no colour", note, lead, "summary"],
  ["[ATP-INB-015] a task_assignment has neither summary nor colour, for any sender", "task_assignment", agent, ""],
  [
    "[ATP-INB-016] plan_approval_request has neither, though its sender has a colour",
    "plan_approval_request",
    agent,
    "",
  ],
  ["[ATP-INB-017] permission_request: the colour, no summary", "permission_request", agent, "color"],
  ["[ATP-INB-026] idle_notification: the colour, no summary", "idle_notification", agent, "color"],
  ["[ATP-INB-026] shutdown_approved: the colour, no summary", "shutdown_approved", agent, "color"],
  ["[ATP-INB-026] shutdown_rejected: the colour, no summary", "shutdown_rejected", agent, "color"],
  ["[ATP-INB-026] shutdown_request from the lead has neither", "shutdown_request", lead, ""],
  ["[ATP-INB-026] plan_approval_response from the lead has neither", "plan_approval_response", lead, ""],
  ["permission_response from the lead has neither", "permission_response", lead, ""],
])("%s", (_, what, from, expected) => {
  for (const revision of revisions) {
    const content = typeof what === "string" ? { body: published(what, revision)[0] as MessageDraft } : what;
    const claimed =
      "body" in content ? (content.body["from"] ?? content.body["assignedBy"] ?? content.body["agent_id"]) : undefined;
    const sender = { ...from, name: typeof claimed === "string" ? claimed : from.name };
    const entry = codecFor(revision).newEntry({ from: sender, content, timestamp, messageId });
    expect(["summary", "color"].filter((key) => Object.hasOwn(entry, key)).join(" ")).toBe(expected);
  }
});

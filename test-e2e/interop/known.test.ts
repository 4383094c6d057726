import { expect, test } from "vitest";
import { clientOf } from "./client.ts";
import { limitOf } from "./known.ts";

const what = "200 messages of ours reach its model, each once";
const limit = (client: string, note: string) => limitOf(clientOf(client), "1", { what, note });

test("a limit explains the failure that it shows as, of the versions that have it, and no other", () => {
  expect(limit("claude-code@2.1.41", "of 200 3 are missing and 0 come twice")).toMatchObject({ side: "client" });
  expect(limit("claude-code@2.1.41", "of 200 0 are missing and 132 come twice")).toMatchObject({ side: "client" });
  expect(limit("claude-code@2.1.41", "of 200 150 are missing and 0 come twice")).toBeUndefined();
  expect(limit("claude-code@2.1.41", "the store finds no team crew")).toBeUndefined();
  expect(limit("claude-code@2.1.327", "of 200 3 are missing and 0 come twice")).toBeUndefined();
  expect(limit("claude-code@2.1.327", "of 200 0 are missing and 3 come twice")).toMatchObject({ side: "client" });
});

import { expect, test } from "vitest";
import { besideAndWithout } from "./page.ts";

const works = (what: string, note: string) => ({ what, state: "works" as const, note });

test("of a crowd with Troupe and of one without, what falls short in either stands side by side", () => {
  const [heard, sent, led] = ["heard", "sent", "led"];
  const result = {
    client: "claude-code@2.1.118",
    day: "2026-11-19",
    solitude: "alone",
    found: {
      "4": [
        works(heard, "30 of 30"),
        works(sent, "30 of 30"),
        works(led, "3 of 3; 2 that it called sent never came"),
        works("torn", "200 looks; the longest that one was torn was 0 ms"),
      ],
      "control-4": [
        works(heard, "of 30 2 are missing and 1 come twice"),
        works(sent, "28 of 28"),
        works(led, "9 of 9; 0 that it called sent never came"),
        works("torn", "300 looks; the longest that one was torn was 4 ms"),
      ],
    },
  };
  expect(besideAndWithout([result])).toEqual([
    ["claude-code@2.1.118", heard, "30 of 30", "of 30 2 are missing and 1 come twice"],
    [
      "claude-code@2.1.118",
      led,
      "3 of 3; 2 that it called sent never came",
      "9 of 9; 0 that it called sent never came",
    ],
  ]);
  expect(besideAndWithout([{ ...result, found: { "4": result.found["4"] } }]), "nothing to compare with").toEqual([]);
});

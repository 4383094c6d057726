import { expect, test } from "vitest";
import { openVouchers } from "./vouchers.ts";

test("a member vouches for what it sent itself, also where another says later that it sent the same", () => {
  const vouchers = openVouchers();
  const sent = (by: string) => ({
    id: by,
    at: "2026-02-13T10:00:00Z",
    by,
    event: { kind: "message", to: "bob", key: "k" },
  });
  const message = (from: string) => ({
    key: "k",
    entry: { from, text: "x", timestamp: "2026-02-13T10:00:00Z", read: false },
  });
  vouchers.add(sent("alice"));
  vouchers.add(sent("mallory"));
  expect(vouchers.of("bob", message("alice"))).toBe("alice");
  expect(vouchers.of("bob", message("carol"))).toBeNull();
  expect(vouchers.of("eve", message("alice"))).toBeNull();
});

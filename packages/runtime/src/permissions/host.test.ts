import { expect, test } from "vitest";
import { callOf, permitted, ruleBelow } from "../../test/permitted.ts";
import { hostOf } from "./host.ts";
import type { PermissionsDeps } from "./permissions.ts";

const judged = (url: string, behavior: "allow" | "deny", text: string, more: Partial<PermissionsDeps> = {}) =>
  permitted("/p", "/h", { rules: [ruleBelow("/p")(behavior, text)], ...more }).judge(
    callOf("WebFetch", { url }, () => [{ kind: "url", url }]),
  ).behavior;
const free = { mode: "bypassPermissions" } as const;

test.each([
  ["domain:evil.com", "https://evil.com../"],
  ["domain:evil.com", "https://EVIL.com./x?y#z"],
  ["domain:evil.com", "https://good.com@evil.com/"],
  ["domain:evil.com", "https://good.com:443@evil.com:8443/"],
  ["domain:evil.com", "https://ev%69l.com/"],
  ["domain:evil.com", "https://\uff45vil.com/"],
  ["domain:evil.com", "https:\\\\evil.com\\x"],
  ["domain:evil.com", "https://ev\u00adil.com/"],
  ["domain:evil.com..", "https://evil.com/"],
  ["domain:EVIL.com", "https://evil.com/"],
  ["domain:https://evil.com/x", "https://evil.com/"],
  ["domain:evil.com:8080", "https://evil.com/"],
  ["domain:b\u00fccher.de", "https://xn--bcher-kva.de/"],
  ["domain:xn--bcher-kva.de", "https://B\u00dcCHER.de/"],
  ["domain:*.evil.com", "https://a.b.evil.com../"],
  ["domain:evil.*", "https://evil.org/"],
  ["domain:*evil*", "https://my-evil.org/"],
  ["domain:*", "https://anything.org/"],
  ["evil.com", "https://evil.com/"],
  ["https://evil.com/*", "https://evil.com/y"],
  ["url:what is this", "https://evil.com/"],
  ["domain:127.0.0.1", "http://[::ffff:127.0.0.1]/"],
  ["domain:127.0.0.1", "http://[::127.0.0.1]/"],
  ["domain:127.0.0.1", "http://2130706433/"],
  ["domain:127.0.0.1", "http://0x7f.1/"],
  ["domain:127.0.0.1", "http://0177.0.0.1/"],
  ["domain:127.0.0.1", "http://localhost/"],
  ["domain:localhost", "http://127.9.9.9/"],
  ["domain:localhost", "http://[::1]/"],
  ["domain:localhost", "http://[::]/"],
  ["domain:localhost", "http://0/"],
  ["domain:localhost", "http://a.localhost./"],
  ["domain:10.0.0.1", "http://[::ffff:a00:1]/"],
  ["domain:10.0.0.1", "http://[64:ff9b::10.0.0.1]/"],
  ["domain:[::ffff:10.0.0.1]", "http://10.0.0.1/"],
])("WebFetch(%s) denies %s in every mode", (rule, url) => {
  expect([judged(url, "deny", `WebFetch(${rule})`), judged(url, "deny", `WebFetch(${rule})`, free)]).toEqual([
    "deny",
    "deny",
  ]);
});

test.each([
  ["domain:evil.com", "https://notevil.com/"],
  ["domain:evil.com", "https://evil.com.org/"],
  ["domain:evil.com", "https://sub.evil.com/"],
  ["domain:*.evil.com", "https://evil.com/"],
  ["domain:evil.com", "https://evil.com@good.com/"],
  ["domain:10.0.0.1", "http://10.0.0.2/"],
  ["domain:localhost", "https://localhost.com/"],
])("WebFetch(%s) does not deny %s", (rule, url) => {
  expect(judged(url, "deny", `WebFetch(${rule})`, free)).toBe("allow");
});

test.each([
  ["domain:good.com", "https://good.com/", "allow"],
  ["domain:good.com", "https://GOOD.com./", "allow"],
  ["domain:good.com", "https://good.com@evil.com/", "ask"],
  ["domain:good.com", "https://evil.com/good.com", "ask"],
  ["domain:*.good.com", "https://a.good.com/", "allow"],
  ["domain:*.good.com", "https://good.com/", "ask"],
  ["domain:*.good.com", "https://notgood.com/", "ask"],
  ["domain:good.*", "https://good.evil.com/", "ask"],
  ["domain:*", "https://good.com/", "ask"],
  ["good.com", "https://good.com/", "ask"],
  ["https://good.com/*", "https://good.com/", "ask"],
  ["domain:localhost", "http://127.0.0.1/", "ask"],
])("a rule to allow allows what it says and no more: WebFetch(%s), %s: %s", (rule, url, behavior) => {
  expect(judged(url, "allow", `WebFetch(${rule})`)).toBe(behavior);
});

test.each([
  "https://",
  "no address",
  "file:///etc/passwd",
  "javascript:1",
  "https://a b/",
  "foo://0x7f.1/",
  "http://[::1",
])("%s is no address of the web, and never allowed unasked", (url) => {
  expect(hostOf(url)).toBeUndefined();
  expect([judged(url, "allow", "WebFetch"), judged(url, "allow", "WebFetch", free)]).toEqual(["ask", "ask"]);
});

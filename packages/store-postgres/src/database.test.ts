import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { awaited } from "../../../scripts/awaited.ts";
import { connectTo } from "./database.ts";

/** What a server says to whom it lets in: that it may, and that it is ready. */
const welcome = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49]);

test("a call that a server takes and says nothing to is given up after a minute", async () => {
  let take = () => {};
  const taken = new Promise<void>((resolve) => {
    take = resolve;
  });
  let end = () => {};
  const server = createServer((client) => {
    client.on("error", () => {});
    end = () => client.destroy();
    client.once("data", () => {
      client.write(welcome);
      client.once("data", take);
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const { query, close } = connectTo(`postgres://me@127.0.0.1:${port}/teams`);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(async () => {
    vi.useRealTimers();
    end();
    await close();
    server.close();
  });
  const refused = query("select 1").catch((error: unknown) => error);
  await taken;
  vi.advanceTimersByTime(59_000);
  expect(await Promise.race([refused, Promise.resolve("waits")])).toBe("waits");
  vi.advanceTimersByTime(1_000);
  expect(await awaited("a refusal", refused, 5_000)).toMatchObject({ code: "store_unavailable" });
});

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { grantHost, migratePostgresStore, openPostgresStore } from "@troupe/store-postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { memory } from "../../scripts/memory.ts";
import { describeUnless, describeWith } from "../require.ts";
import { installServer } from "./installed.ts";
import { type Server, startServer } from "./server.ts";

const installed = await installServer();

/** An authority, and a certificate of it for these names. */
function certified(folder: string, authority: string, name: string, names: string): void {
  const openssl = (...args: string[]) => execFileSync("openssl", args, { cwd: folder, stdio: "pipe" });
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  openssl("req", "-x509", ...key, "-keyout", "ca.key", "-out", `${authority}.crt`, "-days", "2", "-subj", "/CN=Ours");
  openssl("req", ...key, "-keyout", `${name}.key`, "-out", "asked", "-subj", "/CN=db");
  writeFileSync(join(folder, "names"), `subjectAltName=${names}\n`);
  const signed = ["-CA", `${authority}.crt`, "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", "names"];
  openssl("x509", "-req", "-in", "asked", "-out", `${name}.crt`, ...signed);
}

describeUnless("missing" in installed ? installed.missing : undefined, "postgres", "a store over TLS", () => {
  describeWith("openssl", "with an authority of one's own", () => {
    const folder = mkdtempSync(join(memory, "tls-"));
    let server: Server | undefined;
    let url: URL;
    let socket = "";

    /** The address of the server with these settings. */
    const withTls = (settings: Readonly<Record<string, string>>, host = "127.0.0.1") => {
      const address = new URL(url);
      address.hostname = host;
      for (const [name, value] of Object.entries(settings)) address.searchParams.set(name, value);
      return address.href;
    };
    const ca = (name: string) => ({ sslmode: "verify-full", sslrootcert: join(folder, `${name}.crt`) });
    const failureOf = (attempt: Promise<unknown>) => attempt.catch((error: unknown) => error);

    beforeAll(async () => {
      if (!("programs" in installed)) return;
      certified(folder, "ours", "server", "IP:127.0.0.1");
      certified(folder, "theirs", "unused", "IP:127.0.0.1");
      server = await startServer(installed, {
        tls: { certificate: join(folder, "server.crt"), key: join(folder, "server.key") },
      });
      const place = await server.newPlace();
      await migratePostgresStore(place);
      const store = await openPostgresStore(place);
      const team = await store.createTeam({
        name: "crew",
        createdAt: 1,
        leadSessionId: "one",
        leadModel: "m",
        cwd: "/",
      });
      await team.join({ name: "bob", agentType: "a", model: "m", prompt: "p", joinedAt: 1, cwd: "/" });
      const { role, url: local } = await place.newRole();
      await place.run(`alter role ${role} password 'a secret'`);
      await grantHost({ url: place.url, role, team: "crew", members: ["bob"] });
      await store.close();
      url = new URL(local);
      socket = local;
      url.searchParams.delete("host");
      url.port = `${server.port}`;
      url.password = "a secret";
    });
    afterAll(async () => {
      await server?.stop();
      rmSync(folder, { recursive: true });
    });

    test("a host that names the authority sends its mail, encrypted", async () => {
      const store = await openPostgresStore({ url: withTls(ca("ours")) });
      try {
        const bob = await (await store.openTeam("crew"))?.as("bob");
        expect((await bob?.send("team-lead", { text: "hello" }))?.entry.text).toBe("hello");
      } finally {
        await store.close();
      }
    });

    test.for([
      ["says nothing of TLS", () => withTls({}), /no encryption.*sslmode=verify-full&sslrootcert=FILE/],
      ["trusts what the system trusts", () => withTls({ sslmode: "verify-full" }), /sslrootcert=FILE/],
      ["names another authority", () => withTls(ca("theirs")), /sslrootcert=FILE/],
      [
        "calls the server by a name that its certificate lacks",
        () => withTls(ca("ours"), "localhost"),
        /localhost.*subjectAltName/s,
      ],
      [
        "has the wrong password",
        () => withTls(ca("ours")).replace("a%20secret", "guess"),
        /check the role, its password/,
      ],
      ["names a file that is not there", () => withTls(ca("nobody")), /nobody\.crt.*sslrootcert/s],
      ["wants TLS of a server that has none", () => `${socket}&sslmode=verify-full`, /set ssl = on/],
    ] as const)("a host that %s is refused, and told what to do", async ([, address, said]) => {
      const refusal = { code: "store_refused", message: expect.stringMatching(said) };
      expect(await failureOf(openPostgresStore({ url: address() }))).toMatchObject(refusal);
      expect(await failureOf(migratePostgresStore({ url: address() }))).toMatchObject(refusal);
    });
  });
});

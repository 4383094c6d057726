import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { describeWith } from "../require.ts";
import { always, crew, specOf, testMachine } from "./tmux-machine.ts";

const geometry = "#{pane_id} #{pane_left} #{pane_top} #{pane_width} #{pane_height}";

describeWith("tmux", "panes beside the lead", () => {
  test("[ATP-BCK-101] [ATP-BCK-002] [TMUX-02] a spawn splits the window of the lead as the reference client does, in two clients, and types nothing", async () => {
    const one = testMachine();
    const { PATH, clients } = one.recorded();
    const users = one.users();
    const backend = one.open({ environment: { ...users.environment, PATH } });
    const alice = await backend.spawn(specOf("alice"), always());
    const first = clients();
    expect(first).toHaveLength(2);
    expect(first[0]?.join(" ")).toContain(`split-window -d -t ${users.pane} -h -l 70% -P -F #{pane_id}`);
    expect(first[0]?.at(-1)).toBe("cat");
    expect(first[1]?.join(" ")).toContain(`respawn-pane -k -t ${alice.pane} --`);
    const bob = await backend.spawn(specOf("bob"), always());
    const second = clients().slice(2);
    expect(second).toHaveLength(2);
    expect(second[0]?.join(" ")).toContain(`split-window -d -t ${alice.pane} -v -P -F`);
    expect(second[1]?.join(" ")).toContain(`; select-layout -t @0 main-vertical ; resize-pane -t ${users.pane} -x 30%`);
    expect(clients().flat()).not.toContain("send-keys");
    expect(first.flat().slice(0, 5)).toEqual(["-u", "-f", "/dev/null", "-S", `${one.dir}/users`]);
    expect([alice.backend, alice.pane, bob.pane, alice.attach]).toEqual(["tmux", "%1", "%2", undefined]);
    const panes = one
      .panes("users", geometry)
      .map((line) => line.split(" ").map((word) => Number(word.replace("%", ""))));
    const [lead, ...mates] = panes;
    expect(lead?.slice(0, 4)).toEqual([0, 0, 1, 60]);
    expect(mates.map(([, left]) => left)).toEqual([61, 61]);
    expect(mates.map(([, , , , height]) => height)).toEqual([24, 24]);
  });

  test("[TEAM-17] panes have the numbers of the server: of all teams in one row, always higher, and none of one that is gone", async () => {
    const one = testMachine();
    const users = one.users();
    const backend = one.open({ environment: users.environment });
    const panes: (string | undefined)[] = [];
    const add = async (name: string, team: string) => {
      const spawned = await backend.spawn(specOf(name, { team }), always());
      panes.push(spawned.pane);
      return spawned;
    };
    const alice = await add("alice", "crew");
    await backend.stop(await add("bob", "other"), 1_000);
    one.tmux("users", "split-window", "-d", "-t", users.pane, "--", "sleep", "1000");
    await add("bob", "other");
    await backend.stop(alice, 1_000);
    await add("alice", "crew");
    expect(panes).toEqual(["%1", "%2", "%4", "%5"]);
    expect(one.panes("users", "#{pane_id}").toSorted()).toEqual(["%0", "%3", "%4", "%5"]);
  });

  test("a pane has the name of its member as its title, and the border of the member's colour", async () => {
    const one = testMachine();
    const users = one.users();
    const backend = one.open({ environment: users.environment });
    const colors = ["blue", "purple", "orange", "pink", "nonsense"];
    for (const color of colors) await backend.spawn(specOf(color, { color }), always());
    const seen = one.panes("users", "#{pane_title}|#{E:pane-border-style}|#{pane-border-format}|#{pane-border-status}");
    expect(seen.slice(1)).toEqual([
      "blue|fg=blue|#[fg=blue,bold] blue #[default]|top",
      "purple|fg=magenta|#[fg=magenta,bold] purple #[default]|top",
      "orange|fg=colour208|#[fg=colour208,bold] orange #[default]|top",
      "pink|fg=colour205|#[fg=colour205,bold] pink #[default]|top",
      "nonsense|fg=default|#[fg=default,bold] nonsense #[default]|top",
    ]);
    expect(seen[0]).toMatch(/\|default\|.*\|top$/);
    for (const mate of await backend.list(crew)) await backend.stop(mate, 1_000);
    expect(one.tmux("users", "show-options", "-w", "-t", users.pane)).toBe("");
  });

  test.each([
    [10, 2],
    [60, 20],
    [80, 24],
    [200, 50],
  ])("[TMUX-09] sixteen teammates fit beside their lead in %d columns and %d rows", async (columns, rows) => {
    const one = testMachine();
    const users = one.users(columns, rows);
    const backend = one.open({ environment: users.environment });
    const names = Array.from({ length: 16 }, (_, index) => `m${index}`);
    const all = await Promise.all(names.map((name) => backend.spawn(specOf(name), always())));
    expect(new Set(all.map(({ pane }) => pane)).size).toBe(16);
    const sizes = one.panes("users", "#{pane_width} #{pane_height}").map((line) => line.split(" ").map(Number));
    expect(sizes).toHaveLength(17);
    if (columns < 60) return;
    expect(one.panes("users", "#{window_width} #{window_height}")[0]).toBe(`${columns} ${rows}`);
    for (const [width = 0, height = 0] of sizes) expect(width >= 10 && height >= 2).toBe(true);
    expect((await one.running("crew")).length).toBe(16);
  });

  test("[TMUX-09] the column gives way to tiles where it has fewer than five rows for each", async () => {
    const one = testMachine();
    const users = one.users(100, 20);
    const backend = one.open({ environment: users.environment });
    const widthOfLead = () => Number(one.tmux("users", "display-message", "-p", "-t", users.pane, "#{pane_width}"));
    for (const name of ["a", "b", "c"]) await backend.spawn(specOf(name), always());
    expect(widthOfLead()).toBe(30);
    await backend.spawn(specOf("d"), always());
    expect(widthOfLead()).toBe(30);
    await backend.spawn(specOf("e"), always());
    expect(widthOfLead()).toBeGreaterThan(30);
  });

  test.each([
    "base-index 1",
    "pane-base-index 1",
    "remain-on-exit off",
    "default-shell /bin/false",
    "default-command false",
  ])("it works whatever the user's configuration says: %s", async (setting) => {
    const one = testMachine();
    const users = one.users();
    one.tmux("users", "set-option", "-g", ...setting.split(" "));
    const backend = one.open({ environment: users.environment });
    const alice = await backend.spawn(specOf("alice"), always());
    const bob = await backend.spawn(specOf("bob"), always());
    expect(one.panes("users", "#{pane_id}")).toEqual([users.pane, alice.pane, bob.pane]);
    await backend.stop(alice, 1_000);
    expect(one.panes("users", "#{pane_id}")).toEqual([users.pane, bob.pane]);
  });

  test("in a tmux within a tmux the panes are in the inner one, and the outer one has none", async () => {
    const one = testMachine();
    const outer = one.users(200, 50, "users-outer");
    const inner = one.users(100, 30, "users-inner");
    const backend = one.open({ environment: { ...outer.environment, ...inner.environment } });
    await backend.spawn(specOf("alice"), always());
    expect(one.panes("users-outer", "#{pane_id}")).toHaveLength(1);
    expect(one.panes("users-inner", "#{pane_id}")).toHaveLength(2);
  });

  test("where the lead's or the last pane went to another window, the panes there keep their places", async () => {
    const one = testMachine();
    const users = one.users();
    const backend = one.open({ environment: users.environment });
    const alice = await backend.spawn(specOf("alice"), always());
    one.tmux("users", "break-pane", "-d", "-s", alice.pane ?? "");
    const bob = await backend.spawn(specOf("bob"), always());
    await backend.spawn(specOf("carol"), always());
    expect(await one.running("crew")).toHaveLength(3);
    expect(existsSync(`${one.dir}/crew.bob.ready`) && bob.pane).toBe("%2");
  });

  test("outside tmux teammates have a session of their own, and the command that attaches to it is told", async () => {
    const one = testMachine();
    const backend = one.open();
    const alice = await backend.spawn(specOf("alice"), always());
    const bob = await backend.spawn(specOf("bob"), always());
    expect(alice.session).toMatch(/^troupe-crew-[0-9a-f]{6}$/);
    expect(alice.attach).toBe(`tmux -S ${one.dir}/own attach -t '=${alice.session}'`);
    expect(bob.attach).toBe(alice.attach);
    expect(one.panes("own", "#{session_name} #{pane_id}")).toEqual([
      `${alice.session} ${alice.pane}`,
      `${alice.session} ${bob.pane}`,
    ]);
    const others = await backend.spawn(specOf("alice", { team: "other" }), always());
    expect(others.session).not.toBe(alice.session);
    for (const each of [alice, bob, others]) await backend.stop(each, 1_000);
    expect(() => one.tmux("own", "list-sessions")).toThrow(/no server running|error connecting/);
  });

  test("[TMUX-03] [TMUX-04] [TMUX-06] a teammate is a child of the tmux server on a terminal of its own, and knows its pane", async () => {
    const one = testMachine();
    const users = one.users();
    const alice = await one.open({ environment: users.environment }).spawn(specOf("alice"), always());
    const stat = readFileSync(`/proc/${alice.process?.pid}/stat`, "utf8");
    const [, parent, , , terminal] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    expect(Number(parent)).toBe(users.pid);
    expect(Number(terminal)).not.toBe(0);
    const environment = readFileSync(`/proc/${alice.process?.pid}/environ`, "utf8").split("\0");
    expect(environment).toContain(`TMUX_PANE=${alice.pane}`);
  });
});

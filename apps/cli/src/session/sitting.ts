import { messageOf } from "@troupe/protocol";
import {
  type Abort,
  attendInteractive,
  createAbort,
  modelAliases,
  type Session,
  type SessionEvent,
} from "@troupe/runtime";
import type { Store } from "@troupe/store";
import type { Call } from "../command.ts";
import { projectFiles } from "../screen/project-files.ts";
import { replayed, saidIn } from "../screen/replay.ts";
import type { Screen } from "../screen/screen.ts";
import type { Effect, Status } from "../screen/state.ts";
import { withItem } from "../screen/talk.ts";
import { styleOf } from "../screen/update.ts";
import type { createBill } from "./bill.ts";
import { setVariables } from "./environment.ts";

/** What a person wants after a session: nothing more, another one, or a new one. */
export type Next = "leave" | "resume" | "clear";

export interface SittingDeps {
  readonly call: Pick<Call, "now" | "cwd" | "environment" | "signal">;
  /** For the tasks of a session without a team. */
  readonly store: Store;
  readonly screen: Screen;
  readonly session: Session;
  readonly bill: ReturnType<typeof createBill>;
  readonly greeting: string;
  /** The revision has a mode in which a lead only delegates. */
  readonly hasDelegation: boolean;
  /** What the person said in other sessions of this folder. */
  readonly earlier: readonly string[];
}

const workOf = ({ id, command }: { readonly id: string; readonly command: string }) => ({ id, description: command });

/** A session at the screen, from its opening until the person wants something else. */
export interface Sitting {
  /** Does what the person wants. */
  perform(effect: Effect): void;
  /** Takes an event of the session, or of a teammate in its process. */
  note(event: SessionEvent, mate?: string): void;
  /** Turn after turn, until the person leaves. */
  attend(): Promise<Next>;
}

export function openSitting({
  call,
  store,
  screen,
  session,
  bill,
  greeting,
  hasDelegation,
  earlier,
}: SittingDeps): Sitting {
  const { permissions, jobs, shells, queue } = session;
  const ending = createAbort();
  let turn: Abort | undefined;
  let compacting: Abort | undefined;
  let next: Next = "leave";
  const say = (text: string) => screen.dispatch({ kind: "said", text });
  const report = (error: unknown) => say(messageOf(error));

  const before = replayed(session.journal.state());
  const own = saidIn(before);
  screen.dispatch({
    kind: "opened",
    talk: withItem(before, { kind: "notice", text: greeting }),
    history: [...earlier.filter((text) => !own.includes(text)), ...own],
    commands: session.skills
      .filter(({ isForUser = true }) => isForUser)
      .map(({ name, description }) => ({ name, summary: description })),
    agents: session.agents.map(({ agentType, whenToUse }) => ({ name: agentType, summary: whenToUse })),
    models: modelAliases(setVariables(call)).map(([name, id]) => ({ name, summary: id })),
  });
  for (const problem of session.problems) say(problem);
  tellStatus();

  function statusNow(): Status {
    const { usage, cost } = bill.total();
    const queued = queue
      .waiting()
      .flatMap(({ origin, content }) => (origin.kind === "human" ? [String(content[0]?.["text"])] : []));
    return {
      model: session.model(),
      mode: permissions.mode(),
      mayDelegate: hasDelegation && session.membership() !== undefined,
      queued: queued.filter((text) => !text.startsWith("<")),
      work: [
        ...jobs.running().map((job) => ({ kind: "agent", ...workOf(job), isBackground: job.isBackground() }) as const),
        ...shells.running().map((shell) => ({ kind: "command", ...workOf(shell), isBackground: true }) as const),
      ],
      cost,
      tokens: { sent: usage.input + usage.cacheRead + usage.cacheWrite, cached: usage.cacheRead, output: usage.output },
    };
  }

  function tellStatus(): void {
    screen.dispatch({ kind: "status", status: statusNow() });
  }

  async function tellTasks(): Promise<void> {
    const team = session.membership()?.team;
    const { tasks } = await (team?.tasks ?? store.tasksOfSession(session.id)).list();
    const isOpen = new Set(tasks.filter(({ status }) => status !== "completed").map(({ id }) => id));
    screen.dispatch({
      kind: "tasks",
      tasks: tasks.map(({ id, subject, status, owner, blockedBy }) => ({
        id,
        subject: subject ?? "",
        status,
        owner: owner === "" ? undefined : owner,
        blockedBy: (blockedBy ?? []).filter((one) => isOpen.has(one)),
      })),
    });
  }

  async function tellMates(): Promise<void> {
    const membership = session.membership();
    const { value } = (await membership?.team.config()) ?? {};
    const others = (value?.members ?? []).filter(({ name }) => name !== membership?.lead);
    screen.dispatch({ kind: "mates", mates: others.map(({ name, color }) => ({ name, color: styleOf(color) })) });
  }

  function note(event: SessionEvent, mate?: string): void {
    screen.dispatch({ kind: "event", event, mate, at: Date.now() });
    if (event.kind === "piece") return;
    tellStatus();
    const isOfTeam = event.kind === "membership" || event.kind === "teammate";
    if (isOfTeam) void tellMates().catch(report);
    if (isOfTeam || event.kind === "recorded" || (event.kind === "entry" && event.entry.kind === "result"))
      void tellTasks().catch(report);
  }

  function leave(wanted: Next): void {
    next = wanted;
    turn?.abort("shutdown");
    ending.abort("shutdown");
  }

  async function submit(text: string): Promise<void> {
    const said = await session.submit(text);
    if (said !== undefined) say(said);
    tellStatus();
  }

  /** Escape ends it, as it ends a turn. */
  async function compact(words: string): Promise<void> {
    compacting = createAbort(ending.signal);
    screen.dispatch({ kind: "compacting", isOn: true, at: call.now().getTime() });
    try {
      const said = await session.submit(`/compact ${words}`, compacting.signal);
      if (said !== undefined) say(said);
    } finally {
      screen.dispatch({ kind: "compacting", isOn: false, at: call.now().getTime() });
    }
  }

  function switchModel(name: string): void {
    const id = session.switchModel(name);
    say(`The next request goes to ${id}: it has to read the whole conversation anew.`);
    tellStatus();
  }

  async function tell(to: string, text: string): Promise<void> {
    const self = session.membership()?.self;
    if (!self) return void say("This session leads no team.");
    await self.send(to, { text, summary: text.slice(0, 80) });
    screen.dispatch({ kind: "hint", text: `sent to ${to}` });
  }

  function setMode(mode: string): void {
    if (mode === "delegate") session.delegate(true);
    else if (mode === "default" || mode === "acceptEdits" || mode === "plan") permissions.setMode(mode);
    tellStatus();
  }

  function background(): void {
    const text =
      session.background().length > 0
        ? "it goes on in the background"
        : "nothing runs in the foreground that could go on in the background";
    screen.dispatch({ kind: "hint", text });
    tellStatus();
  }

  function perform(effect: Effect): void {
    switch (effect.do) {
      case "submit":
        return void submit(effect.text).catch(report);
      case "shell":
        return void session.shell(effect.command);
      case "tell":
        return void tell(effect.to, effect.text).catch(report);
      case "mode":
        return void setMode(effect.mode);
      case "model":
        return void switchModel(effect.name);
      case "compact":
        return void compact(effect.words).catch(report);
      case "delegate":
        session.delegate(effect.isOn);
        return void tellStatus();
      case "interrupt":
        compacting?.abort("user_interrupt");
        return void turn?.abort("user_interrupt");
      case "background":
        return void background();
      case "listFiles":
        return void projectFiles(call).then((files) => screen.dispatch({ kind: "files", files }), report);
      case "leave":
      case "resume":
      case "clear":
        return void leave(effect.do);
    }
  }

  async function attend(): Promise<Next> {
    const stop = () => leave("leave");
    call.signal.addEventListener("abort", stop, { once: true });
    if (call.signal.aborted) stop();
    const turnSignal = () => {
      turn = createAbort(ending.signal);
      return turn.signal;
    };
    const attendance = attendInteractive({
      agent: session,
      signal: ending.signal,
      turnSignal,
      uiFree: screen.free,
      mail: session.mail,
    });
    try {
      // Its events come through `note`.
      for await (const _ of attendance);
    } finally {
      call.signal.removeEventListener("abort", stop);
    }
    return next;
  }

  return { perform, note, attend };
}

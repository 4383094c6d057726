import { effect, signal } from "@preact/signals";
import { route } from "./place.ts";
import { isHeard, isLocked, renew, renewAll } from "./views.ts";

/** The time, for ages: it goes on once a second while somebody looks. */
export const now = signal(Date.now());
setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, 1_000);

const isSeen = signal(!document.hidden);
document.addEventListener("visibilitychange", () => {
  isSeen.value = !document.hidden;
});

/** A browser gives up after some errors; we do not. */
const retryMs = 2_000;
const tries = signal(0);
const team = signal(route.value.team);
effect(() => {
  team.value = route.value.team;
});

/** One stream a tab, of the team that is looked at; a tab that nobody sees has none. */
export function follow(): void {
  effect(() => {
    tries.value;
    if (!isSeen.value || isLocked.value) return undefined;
    const name = team.value;
    const source = new EventSource(`/api/events${name === undefined ? "" : `?team=${encodeURIComponent(name)}`}`);
    let timer: ReturnType<typeof setTimeout> | undefined;
    source.addEventListener("open", () => {
      isHeard.value = true;
      renewAll();
    });
    source.addEventListener("teams", () => renew("teams"));
    if (name !== undefined) source.addEventListener("team", () => renew(`team/${encodeURIComponent(name)}`));
    source.addEventListener("error", () => {
      isHeard.value = false;
      if (source.readyState !== EventSource.CLOSED) return;
      timer = setTimeout(() => {
        tries.value += 1;
        renewAll();
      }, retryMs);
    });
    return () => {
      clearTimeout(timer);
      source.close();
    };
  });
}

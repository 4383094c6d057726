import { signal } from "@preact/signals";
import { hashOf, type Route, routeIn } from "./models/route.ts";

/** What the address says. */
export const route = signal<Route>(routeIn(location.hash));
addEventListener("hashchange", () => {
  route.value = routeIn(location.hash);
});

/** Shows something else; the way back stays. */
export function goTo(next: Partial<Route> & Pick<Route, "screen">): void {
  location.hash = hashOf(next);
}

/** Changes what is searched for or chosen; the way back skips it. */
export function amend(change: Partial<Pick<Route, "q" | "pick">>): void {
  history.replaceState(null, "", hashOf({ ...route.value, ...change }));
  route.value = routeIn(location.hash);
}

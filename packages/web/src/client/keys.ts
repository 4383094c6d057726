import { signal } from "@preact/signals";
import { screens } from "./models/route.ts";
import { goTo, route } from "./place.ts";

/** The page says which keys there are. */
export const isHelpOpen = signal(false);

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** Everything that can be chosen, as it stands on the page. */
const items = (): readonly HTMLElement[] =>
  [...document.querySelectorAll<HTMLElement>("main [data-item]")].filter(
    (one) => one.offsetParent !== null || one.tagName === "g",
  );

/** Goes to the next thing, or to the nearest one beside it. */
function move(dx: number, dy: number): void {
  const all = items();
  const from = document.activeElement?.closest<HTMLElement>("[data-item]");
  if (!from) {
    all[0]?.focus();
    return;
  }
  const here = from.getBoundingClientRect();
  const aside = all
    .filter((one) => one !== from)
    .map((one) => ({ one, at: one.getBoundingClientRect() }))
    .map(({ one, at }) => ({ one, x: at.x - here.x, y: at.y - here.y }))
    .filter(({ x, y }) => (dx === 0 ? y * dy > 1 : x * dx > 1))
    .sort((a, b) => distance(a, dx) - distance(b, dx));
  aside[0]?.one.focus();
}

const distance = ({ x, y }: { readonly x: number; readonly y: number }, dx: number): number =>
  dx === 0 ? Math.abs(y) + 4 * Math.abs(x) : Math.abs(x) + 4 * Math.abs(y);

/** The button of this key in the thing that is chosen, else the first on the page. */
function reach(key: string): boolean {
  const place = document.activeElement?.closest("[data-item]") ?? document;
  const button =
    place.querySelector<HTMLElement>(`[data-key="${key}"]`) ??
    document.querySelector<HTMLElement>(`main [data-key="${key}"]`);
  button?.focus();
  return button !== null;
}

const moves: Readonly<Record<string, () => void>> = {
  j: () => move(0, 1),
  k: () => move(0, -1),
  l: () => move(1, 0),
  h: () => move(-1, 0),
  "/": () => document.querySelector<HTMLElement>("#search")?.focus(),
  "?": () => {
    isHelpOpen.value = !isHelpOpen.value;
  },
  "1": () => goTo({ screen: "now" }),
  "0": () => goTo({ screen: "doctor" }),
};

/** The keys of the page, where nobody types. */
export function listenToKeys(): void {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") {
      isHelpOpen.value = false;
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
      return;
    }
    if (isTyping(event.target)) return;
    const { team } = route.value;
    const screen = screens[Number(event.key) - 2];
    const isKey = Object.hasOwn(moves, event.key);
    if (isKey) moves[event.key]?.();
    else if (screen && team !== undefined && /^[2-9]$/.test(event.key)) goTo({ screen, team });
    else if (!/^[arnmg]$/.test(event.key) || !reach(event.key)) return;
    event.preventDefault();
  });
}

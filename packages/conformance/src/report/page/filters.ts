import { type Markup, markup } from "./markup.ts";

/** A class of elements, and how many of them there are. */
export interface Choice {
  readonly key: string;
  readonly name: string;
  readonly count: number;
}

/** Boxes that hide what they name. The style sheet does it, so that no script is needed. */
export function filters(groups: readonly (readonly Choice[])[]): Markup {
  const boxes = groups
    .map((choices) => choices.filter(({ count }) => count > 0))
    .filter((choices) => choices.length > 1)
    .map(
      (choices) =>
        markup`<fieldset>${choices.map(({ key, name, count }) => markup`<label class="${key}"><input type="checkbox" checked data-show="${key}"> ${name} <b>${count}</b></label>`)}</fieldset>`,
    );
  return markup`<form class="filters" aria-label="Show">${boxes}</form>`;
}

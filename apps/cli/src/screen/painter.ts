import { type Printed, paint } from "../paint.ts";
import { type ItemLook, itemLines } from "./item-lines.ts";
import type { Item } from "./talk.ts";

/** How the screen looks on this terminal. */
export interface Look {
  readonly hasColor: boolean;
  /**
   * For a screen reader: nothing moves by itself, no ornaments, and words where others see signs.
   */
  readonly isSpoken: boolean;
  readonly shorten: (text: string) => string;
}

/** Paints blocks and items for a width. */
export interface Painter {
  readonly look: Look;
  lines(blocks: readonly Printed[], columns: number): readonly string[];
  /** The same for blocks that do not change: what was painted is kept. */
  kept(blocks: readonly Printed[], columns: number): readonly string[];
  /**
   * An item as it stands below the one before it; what was painted is kept while the width stays.
   */
  item(
    item: Item,
    before: Item | undefined,
    columns: number,
    look: Pick<ItemLook, "isUnfolded" | "colorOf">,
  ): readonly string[];
}

interface Painted {
  readonly columns: number;
  readonly isUnfolded: boolean;
  readonly lines: readonly string[];
}

export function createPainter(look: Look): Painter {
  const known = new WeakMap<Item, Painted>();
  const keptLines = new WeakMap<readonly Printed[], Omit<Painted, "isUnfolded">>();
  /** The last column stays empty: some terminals break a line there, and some do not. */
  const lines = (blocks: readonly Printed[], columns: number) =>
    blocks.length === 0
      ? []
      : paint(blocks, { columns: Math.max(8, columns - 1), hasColor: look.hasColor }).split("\n");
  return {
    look,
    lines,
    kept(blocks, columns) {
      const painted = keptLines.get(blocks);
      if (painted?.columns === columns) return painted.lines;
      const fresh = { columns, lines: lines(blocks, columns) };
      keptLines.set(blocks, fresh);
      return fresh.lines;
    },
    item(item, before, columns, { isUnfolded, colorOf }) {
      const painted = known.get(item);
      if (painted?.columns === columns && painted.isUnfolded === isUnfolded) return painted.lines;
      const { isSpoken, shorten } = look;
      const blocks = itemLines(item, before, { isUnfolded, colorOf, isSpoken, shorten });
      const fresh = { columns, isUnfolded, lines: lines(blocks, columns) };
      known.set(item, fresh);
      return fresh.lines;
    },
  };
}

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { windowOf } from "./models/window.ts";

/** A long list of rows of one height, of which only those are made that can be seen. */
export function Windowed<T>(props: {
  label: string;
  items: readonly T[];
  rowHeight: number;
  row: (item: T) => ComponentChildren;
  keyOf: (item: T) => string;
}) {
  const { label, items, rowHeight, row, keyOf } = props;
  const box = useRef<HTMLUListElement>(null);
  const [seen, see] = useState({ top: 0, height: 900 });
  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const look = () => see({ top: element.scrollTop, height: element.clientHeight || 900 });
    look();
    element.addEventListener("scroll", look, { passive: true });
    const sizes = new ResizeObserver(look);
    sizes.observe(element);
    return () => {
      sizes.disconnect();
      element.removeEventListener("scroll", look);
    };
  }, []);
  const { first, last, before, after } = windowOf(items.length, rowHeight, seen.top, seen.height);
  return (
    <ul class="windowed" ref={box} aria-label={label} tabIndex={items.length > 0 ? 0 : -1}>
      {before > 0 ? <li class="room" style={{ height: `${before}px` }} aria-hidden="true" /> : null}
      {items.slice(first, last).map((item, at) => (
        <li key={keyOf(item)} aria-setsize={items.length} aria-posinset={first + at + 1}>
          {row(item)}
        </li>
      ))}
      {after > 0 ? <li class="room" style={{ height: `${after}px` }} aria-hidden="true" /> : null}
    </ul>
  );
}

// Renders only the rows of a long list that are near the window, so that its length does not change the cost of
// scrolling.
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useLayoutEffect, useState } from 'react';

interface ShownRows {
  /** The index of the first rendered row, and the index after the last. */
  readonly from: number;
  readonly to: number;
  /** The heights of the rows before and after, in px. */
  readonly before: number;
  readonly after: number;
  /** Scrolls to a row and leads the keyboard to it: Enter then opens it, and nothing else. */
  readonly reveal: (index: number) => void;
}

/** Shorter lists are rendered as a whole, so that the browser's own search finds every row. */
const WHOLE = 100;
const OVERSCAN = 15;

/** `rowHeight`: px, the same for every row. `body` holds the rows. */
export function useShownRows(count: number, rowHeight: number, body: RefObject<HTMLElement | null>): ShownRows {
  const isLong = count > WHOLE;
  const [scrollMargin, setScrollMargin] = useState(0);
  const virtual = useWindowVirtualizer({
    count,
    enabled: isLong,
    estimateSize: () => rowHeight,
    overscan: OVERSCAN,
    scrollMargin,
  });
  // Filters and notices above the list may change their height.
  useLayoutEffect(() => {
    const top = body.current?.getBoundingClientRect().top;
    if (isLong && top !== undefined) setScrollMargin(Math.round(top + window.scrollY));
  });
  const reveal = (index: number): void => {
    const rowAt = () => body.current?.querySelector(`[data-row="${index}"]`);
    const lead = (): void => rowAt()?.querySelector<HTMLElement>('a, button')?.focus({ preventScroll: true });
    if (isLong) virtual.scrollToIndex(index);
    else rowAt()?.scrollIntoView({ block: 'nearest' });
    // at once where the row is there: an Enter may come before the next frame, and meant the row
    if (rowAt() === null) requestAnimationFrame(lead);
    else lead();
  };
  if (!isLong) return { from: 0, to: count, before: 0, after: 0, reveal };
  const items = virtual.getVirtualItems();
  const from = items[0]?.index ?? 0;
  const to = (items.at(-1)?.index ?? -1) + 1;
  return { from, to, before: from * rowHeight, after: (count - to) * rowHeight, reveal };
}

import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useLayoutEffect, useRef, useState } from 'react';
import type { RowWindow } from './entry-table.tsx';

/** Shorter lists are rendered as a whole. */
const MIN_ROWS = 100;
/** Height of rows until some were rendered. */
const ROW_HEIGHT = 56;
/** Rows rendered above and below the screen. */
const OVERSCAN = 20;

/**
 * Chooses the rows of a long list that are on the screen, so that thousands of rows scroll without delay.
 * @returns undefined for a short list
 */
export function useVirtualRows(count: number): {
  frame: React.RefObject<HTMLDivElement | null>;
  rows: RowWindow | undefined;
} {
  const frame = useRef<HTMLDivElement>(null);
  const rowHeight = useRef(ROW_HEIGHT);
  const [scrollMargin, setScrollMargin] = useState(0);
  // Elements above the list may get higher at any time.
  useLayoutEffect(() => {
    if (frame.current === null) return;
    const { height, top } = frame.current.getBoundingClientRect();
    setScrollMargin(Math.round(top + window.scrollY));
    // With a wrong height, what is below the list would move while somebody clicks on it.
    if (count > 0 && count <= MIN_ROWS) rowHeight.current = height / count;
  });
  const virtualizer = useWindowVirtualizer({
    count,
    estimateSize: () => rowHeight.current,
    overscan: OVERSCAN,
    scrollMargin,
    enabled: count > MIN_ROWS,
  });
  if (count <= MIN_ROWS) return { frame, rows: undefined };
  const items = virtualizer.getVirtualItems();
  const first = items.at(0);
  const last = items.at(-1);
  return {
    frame,
    rows: {
      first: first?.index ?? 0,
      end: (last?.index ?? -1) + 1,
      before: (first?.start ?? scrollMargin) - scrollMargin,
      after: virtualizer.getTotalSize() - ((last?.end ?? scrollMargin) - scrollMargin),
      measure: virtualizer.measureElement,
    },
  };
}

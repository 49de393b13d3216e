// A text of any length in a cell of a table: it takes the room that the other columns leave, ends in an ellipsis, and
// is shown whole as a title, and while the keyboard is in its row.
import { type ReactNode, type RefObject, useEffect, useLayoutEffect } from 'react';
import classes from './cut.module.css';

export const Cut = ({ children }: { readonly children: ReactNode }): ReactNode => (
  <span className={classes['cut']} data-cut>
    {children}
  </span>
);

/** Marks the texts of a table that are cut, after each time it was drawn or became wider or narrower. */
export function useCutTexts(table: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => markCut(table.current));
  useEffect(() => {
    const element = table.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => markCut(element));
    observer.observe(element);
    return () => observer.disconnect();
  }, [table]);
}

/** The keyboard reaches a row by its link or button; a row that has neither gets a place for the keyboard here. */
function markCut(table: HTMLElement | null): void {
  const texts = [...(table?.querySelectorAll<HTMLElement>('[data-cut]') ?? [])]
    .map((text) => ({ text, row: text.closest('tr') }))
    .filter(({ row }) => row?.matches(':focus-within') !== true) // it is shown whole
    .map(({ text, row }) => ({ text, row, isCut: text.scrollHeight > text.clientHeight + 1 }));
  for (const { text, row, isCut } of texts) {
    if (isCut) text.title = text.textContent ?? '';
    else text.removeAttribute('title');
    if (isCut && row?.querySelector('a, button') === null) text.tabIndex = 0;
    else text.removeAttribute('tabindex');
  }
}

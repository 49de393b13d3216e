// The keyboard: pages register keys while they are shown, one listener handles them, and `?` lists them.
import { useEffect, useLayoutEffect, useRef } from 'react';
import { useSingleKeys } from './keyboard-switch.ts';

export interface Shortcut {
  /** As KeyboardEvent.key has it, `j`, `Enter`, `?`; two in turn as `g p`. */
  readonly keys: string;
  /** For the list: what it does. */
  readonly does: string;
  readonly run: () => void;
}

/** The registered shortcuts. The newest come last and take precedence. */
const active: Set<{ readonly current: readonly Shortcut[] }> = new Set();
/** The second key of two has to follow within this. */
const SECOND_KEY_MS = 1_000;
let first: { readonly key: string; readonly at: number } | undefined;

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('input:not([type=checkbox],[type=radio]), textarea, select'));

/** A dialog keeps its keys to itself, and a focused button or link its Enter. */
const isElsewhere = ({ key, target }: KeyboardEvent): boolean =>
  isTyping(target) ||
  document.querySelector('[role="dialog"], [role="menu"]') !== null ||
  (key === 'Enter' && target instanceof HTMLElement && target.matches('a, button, summary'));

function hear(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey || isElsewhere(event)) return;
  const pair =
    first !== undefined && event.timeStamp - first.at < SECOND_KEY_MS ? `${first.key} ${event.key}` : undefined;
  const all = [...active].toReversed().flatMap(({ current }) => current);
  const found = all.find(({ keys }) => keys === pair) ?? all.find(({ keys }) => keys === event.key);
  first = found === undefined ? { key: event.key, at: event.timeStamp } : undefined;
  if (found === undefined) return;
  event.preventDefault();
  found.run();
}

/** Every shortcut of what is shown now, for the list. */
export const activeShortcuts = (): readonly Shortcut[] => [...active].flatMap(({ current }) => current);

/** Registers these keys while the component is shown, unless the user has turned off single keys. */
export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  const [areOn] = useSingleKeys();
  const latest = useRef(shortcuts);
  // with the page itself: a key that is pressed as soon as a row shows as chosen opens that row
  useLayoutEffect(() => {
    latest.current = shortcuts;
  });
  useEffect(() => {
    if (!areOn) return;
    if (active.size === 0) window.addEventListener('keydown', hear);
    active.add(latest);
    return () => {
      active.delete(latest);
      if (active.size === 0) window.removeEventListener('keydown', hear);
    };
  }, [areOn]);
}

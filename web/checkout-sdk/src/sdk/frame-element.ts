// The iframe of the card fields on the shop's page.
import type { Appearance } from '../shared/appearance-types.ts';

/** Room for the rings around fields, which the frame's edge would otherwise cut off. */
const RING_PX = 3;
/** So that what comes next on the shop's page does not stick to the last line. */
const BELOW_PX = 12;
/** Roughly the height of the form, so that the page jumps little when it appears. */
const FIRST_HEIGHT_PX = 420;
const MAX_HEIGHT_PX = 20_000;

/** Hidden: a browser would show its own error page in a frame that cannot load. */
export function makeFrame(src: string, theme: Appearance['theme']): HTMLIFrameElement {
  const frame = document.createElement('iframe');
  // Its own origin (it is not this page's), scripts and a form: no navigation of the page, no windows, no downloads.
  frame.setAttribute('sandbox', 'allow-scripts allow-same-origin allow-forms');
  frame.allow = 'payment; clipboard-write';
  frame.referrerPolicy = 'no-referrer';
  frame.title = 'Payment';
  frame.src = src;
  Object.assign(frame.style, {
    display: 'block',
    border: '0',
    width: `calc(100% + ${2 * RING_PX}px)`,
    margin: `-${RING_PX}px -${RING_PX}px ${BELOW_PX}px`,
    height: `${FIRST_HEIGHT_PX}px`,
    background: 'transparent',
    visibility: 'hidden',
  });
  paint(frame, theme);
  return frame;
}

/** An iframe is see-through only while its colour scheme is that of the page in it. */
export function paint(frame: HTMLIFrameElement, theme: Appearance['theme'] = 'auto'): void {
  frame.style.colorScheme = theme === 'auto' ? 'light dark' : theme;
}

export function setHeight(frame: HTMLIFrameElement, px: number): void {
  frame.style.height = `${Math.min(Math.max(0, px), MAX_HEIGHT_PX)}px`;
}

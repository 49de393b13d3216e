// Whether a person is at work in this tab: pages ask by themselves as well, and that keeps no session alive.
const ACTS = ['pointerdown', 'keydown', 'wheel', 'touchstart'] as const;

/** Somebody has opened the page. */
let hasActed = true;

for (const act of ACTS)
  addEventListener(
    act,
    () => {
      hasActed = true;
    },
    { capture: true, passive: true },
  );

/** Whether a person has done something in this tab since this was asked last. */
export function takeAct(): boolean {
  const acted = hasActed;
  hasActed = false;
  return acted;
}

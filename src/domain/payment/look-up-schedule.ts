// When a processor is asked again what became of an attempt: 30 s, 5 min, 1 h after the request, then daily (contract §4).
const DAY_MS = 86_400_000;

/** Milliseconds after the request of the first look-ups; the later ones follow a day apart. */
export const lookUpSchedule: readonly number[] = [30_000, 300_000, 3_600_000];

/** Business time in ms of the next look-up, when `lookUps` of them have been made already. */
export function nextLookUpAt(requestedAt: number, lookUps: number): number {
  const days = lookUps - lookUpSchedule.length + 1;
  return requestedAt + (lookUpSchedule[lookUps] ?? days * DAY_MS);
}

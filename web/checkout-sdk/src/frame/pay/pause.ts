// The pause between two calls. It grows each time, and ends at once when the shopper or the connection comes back.

/** The nth pause, from 0: 0.5 s, 1 s, 2 s … 10 s at most, or `mostMs`. */
export const backoffMs = (attempt: number, mostMs = 10_000): number =>
  Math.min(mostMs, 500 * 2 ** Math.min(attempt, 10));

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      window.removeEventListener('online', end);
      document.removeEventListener('visibilitychange', whenVisible);
      resolve();
    };
    const whenVisible = (): void => {
      if (document.visibilityState === 'visible') end();
    };
    const timer = setTimeout(end, ms);
    window.addEventListener('online', end);
    document.addEventListener('visibilitychange', whenVisible);
  });
}

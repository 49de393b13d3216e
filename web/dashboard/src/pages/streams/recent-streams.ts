// The streams that were looked at lately in this browser, newest first; names alone.
import { useLocalStorage } from '@mantine/hooks';
import { useCallback } from 'react';

const MOST = 6;
const NONE: readonly string[] = [];

export function useRecentStreams() {
  const [recent, setRecent] = useLocalStorage<readonly string[]>({ key: 'counterfoil-streams', defaultValue: NONE });
  const remember = useCallback(
    (name: string) => setRecent((before) => (before[0] === name ? before : [name, ...before.filter((one) => one !== name)].slice(0, MOST))),
    [setRecent],
  );
  return { recent, remember };
}

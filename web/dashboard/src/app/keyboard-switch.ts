// The switch for single-key shortcuts, kept in this browser. Speech input and some hands press keys by accident (WCAG
// 2.1.4).
import { useLocalStorage } from '@mantine/hooks';

const KEY = 'counterfoil-single-keys';

/** True by default, and the same in all tabs. */
export function useSingleKeys(): readonly [areOn: boolean, set: (areOn: boolean) => void] {
  const [areOn, set] = useLocalStorage({ key: KEY, defaultValue: true, getInitialValueInEffect: false });
  return [areOn, set];
}

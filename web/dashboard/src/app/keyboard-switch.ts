// Whether single keys do something: a choice of this browser, because speech input and some hands press them unawares (WCAG 2.1.4).
import { useLocalStorage } from '@mantine/hooks';

const KEY = 'counterfoil-single-keys';

/** In all tabs; they are on at first. */
export function useSingleKeys(): readonly [areOn: boolean, set: (areOn: boolean) => void] {
  const [areOn, set] = useLocalStorage({ key: KEY, defaultValue: true, getInitialValueInEffect: false });
  return [areOn, set];
}

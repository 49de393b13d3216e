// The method that the shopper used last, kept by the browser for this frame in this shop. It is a name, nothing else.
import { isMethod, type MethodName } from '../methods.ts';

const NAME = 'counterfoil:method';

/** Undefined if none is known, or if the browser forbids storage in frames. */
export function lastMethod(): MethodName | undefined {
  try {
    const name = localStorage.getItem(NAME);
    return isMethod(name) ? name : undefined;
  } catch {
    return undefined;
  }
}

export function rememberMethod(name: MethodName): void {
  try {
    localStorage.setItem(NAME, name);
  } catch {
    // The list then begins as the session orders it.
  }
}

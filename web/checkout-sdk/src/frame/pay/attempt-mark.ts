// A mark that a payment was sent, kept until its response arrives. A page that is reloaded in between looks for the
// payment first. The mark contains only a time. The session's own claim prevents a second payment, with or without it
// (contract §3).

/** Longer than the service needs to record a request that reached it. */
const COUNTS_FOR_MS = 60_000;

const nameOf = (session: string): string => `counterfoil:${session}`;

/** A browser may forbid storage in frames. Then only the session's claim remains. */
function withStorage<T>(use: (storage: Storage) => T, otherwise: T): T {
  try {
    return use(sessionStorage);
  } catch {
    return otherwise;
  }
}

export const markAttempt = (session: string): void =>
  withStorage((storage) => storage.setItem(nameOf(session), String(Date.now())), undefined);

export const forgetAttempt = (session: string): void =>
  withStorage((storage) => storage.removeItem(nameOf(session)), undefined);

/** True if a payment was sent recently and its response is not known. */
export const hasOpenAttempt = (session: string): boolean =>
  withStorage((storage) => {
    const at = Number(storage.getItem(nameOf(session)) ?? Number.NaN);
    return Date.now() - at < COUNTS_FOR_MS;
  }, false);

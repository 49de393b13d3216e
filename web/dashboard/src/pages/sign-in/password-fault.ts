// The error of a new password, shown at its field before the service refuses it.

/** As the service asks it. */
const LEAST = 12;

/** Undefined where nothing is. */
export const passwordFault = (password: string): string | undefined =>
  password.length >= LEAST ? undefined : `At least ${LEAST} characters: ${LEAST - password.length} more.`;

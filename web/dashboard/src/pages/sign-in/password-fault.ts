// What is wrong with a new password, told at its field before the service has to refuse it.

/** As the service asks it. */
const LEAST = 12;

/** Undefined where nothing is. */
export const passwordFault = (password: string): string | undefined =>
  password.length >= LEAST ? undefined : `At least ${LEAST} characters: ${LEAST - password.length} more.`;

// The reference of an attempt at a processor: at most 40 characters of [A-Za-z0-9], unique, and it identifies the
// payment.

/** The payment that an attempt belongs to, by the attempt's own id `<paymentId>.<suffix>`. */
export const paymentIdOf = (attemptId: string): string => attemptId.slice(0, attemptId.indexOf('.'));

const PREFIX = 'pay_';
const DIGITS = 8;

/** The payment's id without its prefix, and 8 hex digits of the attempt's id; other digits while `isTaken`. */
export function referenceOf(attemptId: string, isTaken: (reference: string) => boolean = () => false): string {
  const payment = paymentIdOf(attemptId).slice(PREFIX.length);
  let text = attemptId;
  for (;;) {
    const reference = `${payment}${fnv1a(text).toString(16).padStart(DIGITS, '0')}`;
    if (!isTaken(reference)) return reference;
    text += '+';
  }
}

/** True if it may be one of ours. */
export const isReference = (text: string): boolean => /^[A-Za-z0-9]{9,40}$/.test(text);

/** The payment that a reference belongs to, whether it exists or not. */
export const paymentIdOfReference = (reference: string): string => `${PREFIX}${reference.slice(0, -DIGITS)}`;

/** FNV-1a of 32 bits over the characters, which are ASCII. */
function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}

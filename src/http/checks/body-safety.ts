// Content that no body may hold at any place: text, numbers and members that would not come back as they were sent, and
// card numbers (contract §§1, 7).
import type { z } from 'zod';
import { cardNumberCheck } from '../../domain/card-number/check.ts';
import { MAX_TEXTS, placeOf, type TextFault, textFaults, unsafeTextCheck } from '../../domain/json-strings.ts';
import { inexactNumbers, repeatedMembers } from '../../domain/json-text.ts';

type BodyIssue = z.core.$ZodIssue;

const NONE: readonly BodyIssue[] = [];
const NO_CHECK = (): undefined => undefined;

const issueOf = (
  { path, description }: TextFault,
  params?: { readonly errorId: 'CardNumberNotAllowed' },
): BodyIssue => ({
  code: 'custom',
  input: undefined,
  path: ['body', ...path],
  message: description,
  ...(params !== undefined && { params }),
});

/**
 * The body is searched as text first, then walked once for both rules on strings. `cardAt`: where a card number belongs
 * (see Route).
 */
export function bodyFaults(
  { text, value }: { readonly text: string; readonly value: unknown },
  cardAt: string | undefined,
): readonly BodyIssue[] {
  const unsafe = unsafeTextCheck(text);
  const cards = cardNumberCheck(text);
  const inexact = inexactNumbers(text);
  const repeated = repeatedMembers(text, value);
  if (unsafe === undefined && cards === undefined && inexact.length === 0 && repeated.length === 0) return NONE;
  const { faults, isTooLarge } = textFaults(value, [unsafe ?? NO_CHECK, cards ?? NO_CHECK]);
  const [unsafeTexts = [], cardTexts = []] = faults;
  return [
    ...(isTooLarge
      ? [issueOf({ path: [], description: `Must not hold more than ${MAX_TEXTS} keys and values.` })]
      : NONE),
    ...[...unsafeTexts, ...inexact, ...repeated].map((fault) => issueOf(fault)),
    ...cardTexts
      .filter(({ path }) => placeOf(path) !== cardAt)
      .map((fault) => issueOf(fault, { errorId: 'CardNumberNotAllowed' })),
  ];
}

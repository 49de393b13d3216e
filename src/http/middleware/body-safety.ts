// What no string of a body may hold, wherever it is: text that a store cannot carry, and card numbers (contract §§1, 7).
import type { z } from 'zod';
import { cardNumbers } from '../../domain/card-number.ts';
import type { TextFault } from '../../domain/json-strings.ts';
import { unsafeText } from '../../domain/unsafe-text.ts';
import type { Body } from './body.ts';

const NONE: readonly z.core.$ZodIssue[] = [];

const issueOf = ({ path, description }: TextFault, params?: { readonly errorId: 'CardNumberNotAllowed' }): z.core.$ZodIssue => ({
  code: 'custom',
  input: undefined,
  path: ['body', ...path],
  message: description,
  ...(params !== undefined && { params }),
});

/** `cardAt`: the one place where a card number belongs, in dots from the body's root. */
export function bodyFaults({ text, value }: Body, cardAt: string | undefined): readonly z.core.$ZodIssue[] {
  const unsafe = unsafeText(text, value);
  const cards = cardNumbers(text, value).filter(({ path }) => path.join('.') !== cardAt);
  if (unsafe.length === 0 && cards.length === 0) return NONE;
  return [...unsafe.map((fault) => issueOf(fault)), ...cards.map((fault) => issueOf(fault, { errorId: 'CardNumberNotAllowed' }))];
}

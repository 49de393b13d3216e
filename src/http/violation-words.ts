// The faults that a schema finds in a request, in sentences for its author (contract §7, validationErrors).
import type { z } from 'zod';

type RawIssue = z.core.$ZodRawIssue;

const TYPES: { readonly [expected: string]: string } = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
};
/** The unit of a size that is too large or too small; a number is compared itself. */
const UNITS: { readonly [origin: string]: string } = { string: 'character', array: 'item' };

/** Zod's error map for requests: says what would be right. A schema's own words come before it. */
export function violationWords(issue: RawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return typeWords(issue);
    case 'invalid_value':
      return `Must be ${oneOf(issue.values)}.`;
    case 'too_small':
      return sizeWords('least', issue.minimum, issue);
    case 'too_big':
      return sizeWords('most', issue.maximum, issue);
    case 'unrecognized_keys':
      return issue.path?.[0] === 'query' ? 'Unknown parameter.' : 'Unknown field.';
    default:
      return 'Must have the format in the API description.';
  }
}

function typeWords({ input, path, expected }: Extract<RawIssue, { code: 'invalid_type' }>): string {
  if (input === undefined) return 'Required.';
  // In a query, only a parameter that was sent more than once is not a string.
  return path?.[0] === 'query' && Array.isArray(input)
    ? 'Must be sent once.'
    : `Must be ${TYPES[expected] ?? expected}.`;
}

function oneOf(values: readonly unknown[]): string {
  const names = values.map(String);
  const last = names.pop() ?? '';
  return names.length === 0 ? last : `one of ${names.join(', ')} or ${last}`;
}

function sizeWords(
  bound: 'least' | 'most',
  limit: number | bigint,
  { origin, inclusive }: { origin: string; inclusive?: boolean },
): string {
  const unit = UNITS[origin];
  const count = Number(limit);
  if (unit === undefined)
    return inclusive === false
      ? `Must be ${bound === 'least' ? 'more' : 'less'} than ${count}.`
      : `Must be at ${bound} ${count}.`;
  return bound === 'least' && count === 1
    ? 'Must not be empty.'
    : `Must have at ${bound} ${count} ${unit}${count === 1 ? '' : 's'}.`;
}

// Strings of a request: their lengths in characters (contract §1).
import { z } from 'zod';

// Characters are code points, as in JSON Schema, not UTF-16 units; counting is needed only between one and two units a
// character.
const charactersWithin = (text: string, limit: number): boolean =>
  text.length <= limit || (text.length <= 2 * limit && [...text].length <= limit);

/** A string of at most `limit` characters, empty allowed. */
export const textUpTo = (limit: number): z.ZodString =>
  z
    .string()
    .refine((text) => charactersWithin(text, limit), { error: `Must have at most ${limit} characters.` })
    .meta({ maxLength: limit });

/** 0 to 255 characters: every string without a rule of its own in the contract. */
export const shortText = textUpTo(255);

/** 1 to 255 characters. */
export const identifier = z
  .string()
  .refine((text) => text.length > 0 && charactersWithin(text, 255), { error: 'Must have 1 to 255 characters.' })
  .meta({ minLength: 1, maxLength: 255 });

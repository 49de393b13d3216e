// A moment that a caller names.
import { z } from 'zod';
import { parseTime } from '../../world.ts';

const NO_MOMENT = 'Must be an RFC 3339 date and time, such as 2026-01-31T12:00:00Z.';

/** RFC 3339 text, read as ms. `read`: undefined for a text that is not such a time. */
export const moment = (read: (text: string) => number | undefined = parseTime) =>
  z
    .string()
    .transform(read)
    .refine((time) => time !== undefined, { error: NO_MOMENT })
    .meta({ format: 'date-time' });

/** RFC 3339 text, kept as it is. */
export const momentText = z
  .string()
  .refine((text) => parseTime(text) !== undefined, { error: NO_MOMENT })
  .meta({ format: 'date-time' });

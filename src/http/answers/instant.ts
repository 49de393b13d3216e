// A moment as it goes out: RFC 3339 in UTC, to the millisecond.
import { z } from 'zod';

export const Instant = z.iso.datetime({ precision: 3 });

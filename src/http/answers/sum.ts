// A sum of amounts in minor units: a number, or beyond 2^53 - 1 a string of its digits (contract §1).
import { z } from 'zod';

export const SumAnswer = z.union([z.int(), z.string().regex(/^-?\d{16,}$/)]);

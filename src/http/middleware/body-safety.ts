// What no string of a body may hold, wherever it is: text that JSON or a store cannot carry, and card numbers (contract §§1, 7).
import type { z } from 'zod';
import type { Body } from './body.ts';

const NONE: readonly z.core.$ZodIssue[] = [];

/** TODO until the domain's walk is there. */
export const bodyFaults = (_body: Body): readonly z.core.$ZodIssue[] => NONE;

// Reads a text from outside as a shape: a notification, a call of another node, an answer to one.
import type { z } from 'zod';

/**
 * A text as JSON of a shape; undefined if it is not. What is wrong with it stays unsaid: it may hold a card number.
 */
export function readAs<Shape>(shape: z.ZodType<Shape>, json: string): Shape | undefined {
  try {
    return shape.safeParse(JSON.parse(json)).data;
  } catch {
    return undefined;
  }
}

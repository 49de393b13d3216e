// The order of texts by their UTF-8 bytes, which every store has for ids and keys (see read-models.ts).
import { Buffer } from 'node:buffer';

/** For `sort`: below 0 where `a` comes first. */
export const byBytes = (a: string, b: string): number => (a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b)));

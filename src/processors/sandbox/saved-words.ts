// What the sandbox notifies about saved methods, and not about a payment: the words of the network's updater, and of a
// bank about a mandate.
import { z } from 'zod';
import { CardUpdate } from '../../domain/payment-instrument/recorded-data.ts';
import { parseTime } from '../../world.ts';
import type { InstrumentNotification } from '../processor.ts';
import { readAs } from './read-as.ts';

const name = z.string().min(1).max(255);
const about = {
  notificationId: name,
  /** RFC 3339, as ms */
  occurredAt: z.string().transform(parseTime).pipe(z.number()),
  /** The token of the saved method. */
  processorToken: name,
};

/** Members that a later version of the sandbox adds are ignored. */
const AboutSaved = z.discriminatedUnion('type', [
  z.object({
    ...about,
    type: z.literal('instrument.updated'),
    card: z.object(CardUpdate.shape),
    fingerprint: name.exactOptional(),
  }),
  z.object({ ...about, type: z.literal('instrument.closed') }),
  z.object({
    ...about,
    type: z.literal('mandate.updated'),
    mandate: name,
    status: z.enum(['active', 'pending', 'inactive']),
    because: name.exactOptional(),
  }),
]);
type AboutSaved = z.output<typeof AboutSaved>;
/** A payload as it is sent: without the members that all have. */
export type SavedWord = AboutSaved extends infer One
  ? One extends AboutSaved
    ? Omit<One, keyof typeof about>
    : never
  : never;

/** Undefined if the text is not about a saved method. No signature is checked. */
export function readSavedWord(raw: string): InstrumentNotification | undefined {
  const payload = readAs(AboutSaved, raw);
  if (payload === undefined) return undefined;
  const { notificationId, occurredAt } = payload;
  return { notificationId, occurredAt, about: aboutOf(payload) };
}

function aboutOf(payload: AboutSaved): InstrumentNotification['about'] {
  const { processorToken } = payload;
  switch (payload.type) {
    case 'instrument.updated': {
      const { card, fingerprint } = payload;
      return { instrument: 'updated', processorToken, card, ...(fingerprint !== undefined && { fingerprint }) };
    }
    case 'instrument.closed':
      return { instrument: 'closed', processorToken };
    case 'mandate.updated': {
      const { mandate, status, because } = payload;
      return { mandate, status, processorToken, ...(because !== undefined && { because }) };
    }
    default:
      return payload satisfies never;
  }
}

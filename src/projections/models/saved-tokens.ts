// The methods that customers have saved, by the processors' tokens of them, one document each: a notification about a
// method names no more than its token.

/**
 * A log projection: a method has a token at each of its connections. It lags by a moment; what the method's own stream
 * says is what counts.
 */
import { paymentInstrumentCategory } from '../../domain/payment-instrument/events.ts';
import type { TokenAt } from '../../domain/payment-instrument/state.ts';
import { metadataOf, unsealEvent } from '../../journal/envelope.ts';
import { idOf } from '../../stores/stream-name.ts';
import { type LogProjection, logProjection, type Reader, readingOf } from '../projection.ts';

interface SavedToken {
  readonly accountId: string;
  /** Ours. A token that was used up for a method that the customer had already is that of this method. */
  readonly paymentMethodToken: string;
}

/** What is known of an instrument: all its tokens, and whose they are once it is saved. */
interface Known {
  readonly tokens: readonly Pick<TokenAt, 'connectionId' | 'processorToken'>[];
  readonly savedAs?: string;
}

const SEPARATOR = '|';
/**
 * The document of a token at a connection, by what follows its last slash: a processor that names its customer as well
 * leaves that out in some notifications.
 */
export const savedTokenId = ({ connectionId, processorToken }: Known['tokens'][number]): string =>
  `${connectionId}${SEPARATOR}${processorToken.slice(processorToken.lastIndexOf('/') + 1)}`;

const reader: Reader<Known, SavedToken> = {
  categories: [paymentInstrumentCategory.name],
  initial: { tokens: [] },
  read(known, stored) {
    if (!READ.has(stored.type)) return { known, changes: [] };
    const { event } = unsealEvent(paymentInstrumentCategory, stored);
    const { accountId } = metadataOf(stored);
    const saved = (tokens: Known['tokens'], paymentMethodToken: string | undefined) =>
      paymentMethodToken === undefined
        ? []
        : tokens.map((token) => ({ id: savedTokenId(token), doc: { accountId, paymentMethodToken } }));
    switch (event.type) {
      case 'InstrumentTokenized':
      case 'InstrumentTokenAdded': {
        const { connectionId, processorToken } = event.data;
        const token = { connectionId, processorToken };
        return { known: { ...known, tokens: [...known.tokens, token] }, changes: saved([token], known.savedAs) };
      }
      case 'InstrumentVaulted':
      case 'InstrumentMerged': {
        const savedAs = event.type === 'InstrumentMerged' ? event.data.into : idOf(stored.stream);
        return { known: { ...known, savedAs }, changes: saved(known.tokens, savedAs) };
      }
      default:
        return { known, changes: [] };
    }
  },
};
const READ: ReadonlySet<string> = new Set([
  'InstrumentTokenized',
  'InstrumentTokenAdded',
  'InstrumentVaulted',
  'InstrumentMerged',
]);

export const savedTokens: LogProjection<SavedToken, never> = logProjection(readingOf(reader), {
  name: 'saved-tokens',
  version: 1,
  keys: {},
  indexes: [],
});

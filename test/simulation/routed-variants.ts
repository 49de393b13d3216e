// Services whose routing is broken on purpose: each asks a second connection where nothing proves that it may.
import type { Outcome } from '../../src/domain/payment/outcome.ts';
import type { Connection } from '../../src/processors/processor.ts';
import { SANDBOXES } from './routes.ts';
import type { BrokenVariant } from './variant.ts';

/** Takes a lost response for a request that was never sent, so that the next connection is asked. */
const fallbackAfterUnknown: BrokenVariant = {
  name: 'a fallback after an unknown outcome',
  routed: true,
  breaks: /authorized 2 times/,
  processor: (processor) => ({
    ...processor,
    async perform(request, call) {
      const outcome = await processor.perform(request, call);
      return request.operation === 'authorization' && outcome.kind === 'unknown'
        ? { kind: 'not_sent', detail: outcome.detail }
        : outcome;
    },
  }),
};

/** Takes every decline for a soft one. */
const fallbackAfterFinalDecline: BrokenVariant = {
  name: 'a fallback after a final decline',
  routed: true,
  breaks: /asks another connection after the final decline/,
  processor: (processor) => ({
    ...processor,
    async perform(request, call) {
      const outcome = await processor.perform(request, call);
      return outcome.kind === 'declined' ? { ...outcome, declineType: 'SOFT', advice: undefined } : outcome;
    },
  }),
};

/** Asks both connections at once, and takes the first response: the other one keeps its hold. */
const bothCharged: BrokenVariant = {
  name: 'both connections are charged',
  routed: true,
  breaks: /authorized 2 times/,
  processor: (processor) => {
    const tokens = new Tokens();
    return {
      ...processor,
      async tokenize(request, call) {
        const made = await processor.tokenize(request, call);
        if (made.kind === 'token') tokens.keep(request.reference, call.connection, made.processorToken);
        return made;
      },
      perform(request, call): Promise<Outcome> {
        const asked = processor.perform(request, call);
        const other = request.operation === 'authorization' ? tokens.otherThan(request.processorToken) : undefined;
        if (other === undefined || request.operation !== 'authorization') return asked;
        const [processorToken, connection] = other;
        const twin = { ...request, reference: `${request.reference}b`, processorToken };
        return Promise.race([asked, processor.perform(twin, { ...call, connection })]);
      },
    };
  },
};

/** The tokens of each card at the connections of one incarnation. */
class Tokens {
  /** By reference of the tokenization, then by connection. */
  readonly #cards = new Map<string, Map<string, string>>();
  readonly #cardOf = new Map<string, string>();

  keep(card: string, { connectionId }: Connection, token: string): void {
    const known = this.#cards.get(card) ?? new Map<string, string>();
    this.#cards.set(card, known.set(connectionId, token));
    this.#cardOf.set(token, card);
  }

  otherThan(token: string): readonly [string, Connection] | undefined {
    const known = this.#cards.get(this.#cardOf.get(token) ?? '');
    for (const connectionId of SANDBOXES) {
      const other = known?.get(connectionId);
      if (other !== undefined && other !== token) return [other, { connectionId, processor: 'sandbox', secrets: {} }];
    }
    return undefined;
  }
}

export const ROUTED_VARIANTS: readonly BrokenVariant[] = [fallbackAfterUnknown, fallbackAfterFinalDecline, bothCharged];

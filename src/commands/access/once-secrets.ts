// The secret that an effect makes, which is shown once and of which only a hash is kept: the same again for a call that
// is repeated under its key.
import type { Caller } from '../caller.ts';
import type { Effect } from '../effect.ts';
import type { AccessNeeds } from './needs.ts';

/**
 * Secrets that are shown once. Random without an idempotency key. With one, a secret derives from the store key and the
 * caller's idempotency key, which is stored nowhere: the log and all our secrets together do not reveal it, and a
 * caller whose response was lost gets it again (contract §6).
 */
export class OnceSecrets {
  readonly #needs: Pick<AccessNeeds, 'storeKey' | 'world'>;
  readonly #by: Caller | undefined;
  #random: string | undefined;

  constructor(needs: Pick<AccessNeeds, 'storeKey' | 'world'>, by: Caller | undefined) {
    this.#needs = needs;
    this.#by = by;
  }

  /** 64 hex characters (256 bits). */
  of({ context: { operationId }, resourceId }: Effect): string {
    const { storeKey, world } = this.#needs;
    const key = this.#by?.idempotency?.key;
    if (key !== undefined) return storeKey.fingerprint('once-secret', `${resourceId}\n${operationId}\n${key}`);
    this.#random ??= Buffer.from(world.randomBytes(32)).toString('hex');
    return this.#random;
  }
}

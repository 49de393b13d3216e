// The tokens with which customers come back from an action: derived under the store key, and on record as a hash alone
// (contract §4).
import type { Attempt } from '../../domain/payment/attempt.ts';
import type { KnownPayment } from '../../domain/payment/payment.ts';
import type { Waiting } from '../../domain/payment/settlement.ts';
import type { StoreKey } from '../../secrets.ts';

/** How long the customer has for an action, ms. */
const ACT_WITHIN_MS = 3_600_000;

export interface ResumeTokenNeeds {
  readonly storeKey: StoreKey;
  /** Under which browsers reach the service. */
  readonly publicUrl: () => string;
}

export class ResumeTokens {
  readonly #needs: ResumeTokenNeeds;

  constructor(needs: ResumeTokenNeeds) {
    this.#needs = needs;
  }

  /**
   * The URL to which the customer returns from an action of this attempt, with `paymentId` and `resumeToken`: the
   * merchant's page, otherwise our own.
   */
  returnUrl(paymentId: string, { accountId, returnUrl }: KnownPayment, { attemptId }: Attempt): string {
    const own = returnUrl === undefined || !URL.canParse(returnUrl);
    const url = new URL(own ? `${this.#needs.publicUrl()}/checkout/3ds/return` : returnUrl);
    if (own) url.searchParams.set('account', accountId);
    url.searchParams.set('paymentId', paymentId);
    url.searchParams.set('resumeToken', this.#tokenOf(attemptId));
    return url.href;
  }

  /** The waiting state to record when a response of `at` (ms) requires an action. */
  waiting(
    { attemptId }: Pick<Attempt, 'attemptId'>,
    { kind }: { readonly kind: string },
    at: number,
  ): { readonly waits?: Waiting } {
    if (kind !== 'requires_action') return {};
    return { waits: { resumeTokenHash: this.hashOf(this.#tokenOf(attemptId)), expiresAt: at + ACT_WITHIN_MS } };
  }

  hashOf(token: string): string {
    return this.#needs.storeKey.fingerprint('resume-token-hash', token);
  }

  #tokenOf(attemptId: string): string {
    return `res_${this.#needs.storeKey.fingerprint('resume-token', attemptId)}`;
  }
}

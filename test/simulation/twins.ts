// Two accounts at Stripe as the processors of a world: the twin's engine without sockets, under the real adapter.
import type { SecretOf } from '../../src/commands/connections/secret-reference.ts';
import { addConnection, recordProof } from '../../src/domain/connection.ts';
import { operatorContext } from '../../src/journal/contexts.ts';
import { transact } from '../../src/journal/transact.ts';
import type { HttpAnswer, HttpCall } from '../../src/processors/http-call.ts';
import type { Service } from '../../src/service.ts';
import { execute } from '../support/stripe-twin/execution.ts';
import { type FaultKind, Struck } from '../support/stripe-twin/faults.ts';
import { decodeForm } from '../support/stripe-twin/form.ts';
import type { Effect } from '../support/stripe-twin/state.ts';
import { type PortlessTwin, portlessTwin, type TwinAccount } from '../support/stripe-twin/stripe-twin.ts';
import { ACCOUNT, type Network, webhookUrl } from './network.ts';
import { between, chance, type Random, randomBytesOf, randomOf, weighted } from './random.ts';
import type { Timeline } from './timeline.ts';

/** A card in the hands of a shopper. */
export interface ShopperCard {
  readonly id: string;
  readonly isDisputed: boolean;
  /** The body of the request that tokenizes it. */
  given(): Parameters<Service['instruments']['tokenizeCard']>[0];
}

/** Payment methods by the twin's names, each as likely as its weight. */
const CARDS = [
  [55, 'visa'],
  [8, 'chargeDeclined'],
  [5, 'chargeDeclinedInsufficientFunds'],
  [15, 'threeDSecure2Required'],
  [5, 'threeDSecureRequiredChargeDeclined'],
  [5, 'pendingRefund'],
  [4, 'processing'],
  [3, 'amex'],
] as const;
/** How long a bank takes for a refund, or for a payment that is processing, ms. */
const AT_THE_BANK_MS = [1_000, 90_000] as const;

interface Connected {
  readonly connectionId: string;
  readonly secretKey: string;
  readonly webhookSecret: string;
  readonly twin: PortlessTwin;
  readonly account: TwinAccount;
}

export interface TwinsParts {
  readonly timeline: Timeline;
  readonly network: Network;
  /** Business time, ms. */
  readonly now: () => number;
}

export class Twins {
  readonly #connected: readonly Connected[];
  readonly #timeline: Timeline;
  readonly #random: Random;

  constructor(seed: string, { timeline, network, now }: TwinsParts) {
    this.#timeline = timeline;
    this.#random = randomOf(seed, 'bank');
    this.#connected = ['eu', 'us'].map((name) => {
      const twin = portlessTwin({
        accounts: [{ id: `acct_${name}` }],
        now,
        random: randomBytesOf(randomOf(seed, 'twin', name)),
        send: network.fetch,
      });
      const [account] = twin.accounts;
      const webhookSecret = `whsec_${name}`;
      account.addEndpoint({ url: webhookUrl('stripe', `key_${name}`), secrets: [webhookSecret] });
      return { connectionId: `con_${name}`, secretKey: account.secretKey, webhookSecret, twin, account };
    });
  }

  /** Puts the connections on record; with the proof of a person's run where their fences prove. */
  async connect({ streams, world }: Service, isProven: boolean): Promise<void> {
    for (const { connectionId, account } of this.#connected) {
      const name = connectionId.replace('con_', '');
      const created = addConnection({
        accountId: ACCOUNT,
        processor: 'stripe',
        name,
        secrets: { secretKey: `env:${name}_key`, webhookSecret: `env:${name}_hook` },
        createdAt: world.now(),
        webhookKeyId: `key_${name}`,
        apiUrl: urlOf(account),
      });
      const context = operatorContext(world, ACCOUNT);
      await transact(streams.connections, connectionId, context, created);
      await transact(streams.connections, connectionId, context, recordProof(isProven));
    }
  }

  readonly secretOf: SecretOf = async (reference) => {
    const [, name, which] = /^env:(\w+)_(key|hook)$/.exec(reference) ?? [];
    const found = this.#connected.find(({ connectionId }) => connectionId === `con_${name}`);
    if (found === undefined) throw new Error(`there is no secret ${reference}`);
    return which === 'key' ? found.secretKey : found.webhookSecret;
  };

  /** A card of some shopper, which the fields of one of the connections take. */
  anyCard(random: Random): ShopperCard {
    const one = this.#connected[between(random, 0, this.#connected.length - 1)];
    if (one === undefined) throw new Error('there are connections');
    const { connectionId, account } = one;
    const name = weighted(random, CARDS);
    return {
      id: `${connectionId} ${name}`,
      isDisputed: false,
      given: () => ({
        processorToken: {
          connectionId,
          type: 'confirmation_token',
          token: account.confirmationToken(`pm_card_${name}`),
        },
      }),
    };
  }

  /** The customer answers the challenge on this page; undefined if it is over. */
  async answerChallenge(page: string, isApproved: boolean): Promise<{ readonly returnUrl: string } | undefined> {
    const [name, at] = this.#challenged(page);
    const returnUrl = unlessRefused(() => at?.account[isApproved ? 'approve' : 'fail'](name));
    return returnUrl === undefined ? undefined : { returnUrl };
  }

  /**
   * A customer who has failed the challenge confirms again some time later, with another card: the way back has the
   * client secret in its URL.
   */
  confirmAgain(page: string, afterMs: number): void {
    const [name, at] = this.#challenged(page);
    this.#timeline.after(afterMs, undefined, () => unlessRefused(() => at?.account.confirmAgain(name, 'pm_card_visa')));
  }

  #challenged(page: string): readonly [string, Connected | undefined] {
    const name = page.replace(/\?.*$/, '');
    const hasIt = ({ twin }: Connected) => twin.answering.accounts.some(({ intents }) => intents.has(name));
    return [name, this.#connected.find(hasIt)];
  }

  /** A request that has arrived at the twin of this URL: its effect, and its response. */
  async answer(base: string, { method, path: target, headers, body = '' }: HttpCall, fault?: FaultKind) {
    const at = this.#connected.find(({ account }) => urlOf(account) === base);
    if (at === undefined) throw new Error(`there is no twin at ${base}`);
    const { engine, webhooks } = at.twin.answering;
    const [path = '', query = ''] = target.split('?');
    const reply = await execute(at.twin.answering, {
      seen: {
        method,
        path,
        form: decodeForm(method === 'GET' ? query : body),
        key: headers['Idempotency-Key'],
      },
      requestId: engine.newId('req'),
      authorization: headers['Authorization'] ?? '',
      version: headers['Stripe-Version'],
      struck: fault && this.#struck(fault),
    });
    void webhooks.flush('after');
    this.#followUp(at, reply.body);
    const replayed = reply.headers?.['Idempotent-Replayed'];
    return {
      kind: 'answered',
      status: reply.status,
      headers: replayed === undefined ? {} : { 'idempotent-replayed': replayed },
      body: reply.body,
    } satisfies HttpAnswer;
  }

  /** What has expired by now does. */
  passTime(): void {
    for (const { twin } of this.#connected) void twin.moveClock(0);
  }

  /** Movements of money at both twins, each in its order. */
  effects(): readonly Effect[] {
    return this.#connected.flatMap(({ twin }) => twin.effects());
  }

  #struck(fault: FaultKind): Struck {
    const struck = new Struck({}, fault);
    if (fault.kind === 'hold')
      this.#timeline.after(between(this.#random, 500, 20_000), undefined, () => void struck.handle().release());
    return struck;
  }

  /** What is pending at the bank ends there some time later; a list has several of them. */
  #followUp({ account, twin }: Connected, body: string): void {
    const [own] = twin.answering.accounts;
    for (const [, id = ''] of body.matchAll(/"id": "((?:re|pi)_\w+)"/g)) {
      const isPending = (): boolean => own?.refunds.get(id)?.status === 'pending';
      const isProcessing = own?.intents.get(id)?.status === 'processing';
      if (!isPending() && !isProcessing) continue;
      const succeeds = chance(this.#random, 0.7);
      this.#timeline.after(between(this.#random, ...AT_THE_BANK_MS), undefined, () => {
        if (isProcessing) unlessRefused(() => account[succeeds ? 'approve' : 'fail'](id));
        else if (isPending()) unlessRefused(() => (succeeds ? account.completeRefund(id) : account.failRefund(id)));
      });
    }
  }
}

const urlOf = ({ id }: TwinAccount): string => `http://${id}`;

/** What the bank refuses changes nothing. */
function unlessRefused<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

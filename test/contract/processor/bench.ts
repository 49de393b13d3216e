// One processor on trial: its calls as the service makes them, with its server's truth beside them.
import { expect } from 'chai';
import {
  type LookUp,
  networkNames,
  type Outcome,
  type RequiresAction,
  type TakenBack,
} from '../../../src/domain/payment/outcome.ts';
import type {
  AuthorizationRequest,
  Call,
  Connection,
  Known,
  OperationRequest,
  Processor,
  TokenizationRequest,
} from '../../../src/processors/processor.ts';
import { until } from '../../support/until.ts';
import { type Answer, type Faults, type Misbehaviour, misbehavingProxy } from '../misbehaving-proxy.ts';

/** A success at the server. */
export interface Effect {
  readonly reference: string;
  /** Minor units: for a cancellation 0, for an adjustment the new total. */
  readonly amount: number;
  readonly currencyCode: string;
}

/** A card of which everything is approved; whose authorization is declined, or decided later; that is refused. */
export type TestCard = 'approved' | 'declined' | 'pending' | 'not_taken';

/** An authorization that was decided, as a notification reports it. */
export interface Decided {
  readonly reference: string;
  readonly processorTransactionId: string;
  readonly outcome: 'succeeded' | 'declined';
  /** Minor units of EUR. */
  readonly amount: number;
  /** ms, by the processor's clock. */
  readonly at: number;
}

/** A notification as it comes in. */
export interface Incoming {
  readonly raw: string;
  readonly headers: { readonly [name: string]: string };
}

/** The notifications of a processor, made as its server makes them. */
export interface Notifying {
  /** One body with all of them in their order, signed for the connection at a time, ms. */
  body(items: readonly (Decided | 'unreadable')[], connection: Connection, signedAt: number): Incoming;
  /** The same with nine times the amount of 1000, and with the signature as it was. */
  forged(incoming: Incoming): Incoming;
  /** A body of the mode that the connection is not of, signed for the connection. */
  ofOtherMode?(item: Decided, connection: Connection, signedAt: number): Incoming;
}

/** The pages of a processor on which its customers act. */
export interface Challenges {
  /** What a shopper brings whose issuer wants to see the customer. */
  card(connection: Connection): TokenizationRequest['from'];
  /** The customer of the suite's connection answers; does nothing on a page that is over. */
  answer(asked: RequiresAction, isApproved: boolean): Promise<void>;
}

/** What a later charge of a saved card told the processor's server. */
export interface LaterUse {
  readonly kind?: string | undefined;
  readonly networkTransactionId?: string | undefined;
  readonly transactionLinkId?: string | undefined;
}

/** Methods that a processor keeps for a customer. */
export interface SavedMethods {
  /** What a shopper brings that is saved: a card whose network names the payment in each of its ways. */
  card(connection: Connection): TokenizationRequest['from'];
  laterUse(request: AuthorizationRequest, connection: Connection): Promise<LaterUse>;
  /** The network's updater: 12/2049 is the new expiry of the card with this token. */
  updated(processorToken: string, connection: Connection, signedAt: number): Incoming;
  /** The mandate of the method with this token was withdrawn. */
  withdrawn(processorToken: string, connection: Connection, signedAt: number): Incoming;
}

export interface ProcessorUnderTest {
  readonly processor: Processor;
  /** With all its secrets, if the processor has any. */
  readonly connection: Connection;
  /** A second account at the processor, with secrets of its own. */
  readonly otherConnection?: Connection;
  /** What a shopper brings, new each time: tokens of a processor's own fields are used once. */
  card(kind: TestCard, connection: Connection): TokenizationRequest['from'];
  /** The successes at the server of a connection's account, past all faults. */
  effects(connection: Connection): Promise<readonly Effect[]>;
  /** Moves the server's clock forward, ms. */
  advance(ms: number): Promise<void>;
  readonly notifying: Notifying;
  /** On a page of the processor the customer pays a refused authorization with another card; true if that succeeds. */
  confirmAgain?(processorTransactionId: string): boolean;
  readonly challenges?: Challenges;
  readonly saved?: SavedMethods;
  /** For a processor without a server: every operation and look-up goes wrong as the proxy would. */
  readonly faults?: Faults;
  close(): Promise<void>;
}

/** Puts a proxy that misbehaves before the server at a URL. Resolves with the URL to be called instead. */
export type Through = (target: string, busy?: Answer) => Promise<string>;

export type Make = (through: Through) => Promise<ProcessorUnderTest>;

/** When the operations of the suite were requested, ms. */
export const NOW = Date.UTC(2026, 4, 1, 12);
export const HOUR_MS = 3_600_000;
/** No answer comes before the caller's deadline. */
const SILENT: ReadonlySet<Misbehaviour> = new Set(['hung', 'late', 'held']);

/** The members that all requests have in common. */
const ABOUT = { accountId: 'acc_1', currencyCode: 'EUR', requestedAt: NOW } as const;

/** What the requests that follow an authorization have in common. */
export interface Held {
  readonly paymentId: string;
  readonly authorization: Known;
}

interface SavedCard {
  readonly processorToken: string;
  readonly names: { readonly networkTransactionId?: string; readonly transactionLinkId?: string };
}

type Wish = Partial<Pick<AuthorizationRequest, 'amount' | 'currencyCode' | 'isEstimated'>> & {
  readonly card?: TestCard;
  readonly connection?: Connection;
};

export class Bench {
  readonly tested: ProcessorUnderTest;
  readonly faults: Faults;
  /** Requests that reached the server and may change something; undefined for a processor without a server. */
  readonly writes: () => number | undefined;
  readonly #close: () => Promise<void>;

  private constructor(
    tested: ProcessorUnderTest,
    faults: Faults,
    writes: () => number | undefined,
    close: () => Promise<void>,
  ) {
    this.tested = tested;
    this.faults = faults;
    this.writes = writes;
    this.#close = close;
  }

  static async open(make: Make): Promise<Bench> {
    let proxy: Awaited<ReturnType<typeof misbehavingProxy>> | undefined;
    const tested = await make(async (target, busy) => {
      proxy = await misbehavingProxy(target, busy);
      return proxy.url;
    });
    const faults = tested.faults ?? proxy;
    if (faults === undefined) throw new Error('neither a server nor a way to misbehave was given');
    return new Bench(
      tested,
      faults,
      () => proxy?.writes,
      async () => {
        await tested.close();
        await proxy?.close();
      },
    );
  }

  close(): Promise<void> {
    return this.#close();
  }

  get processor(): Processor {
    return this.tested.processor;
  }

  call(signal: AbortSignal = new AbortController().signal, connection = this.tested.connection): Call {
    return { connection, signal };
  }

  async effectsOf(of: string, connection = this.tested.connection): Promise<readonly Effect[]> {
    const effects = await this.tested.effects(connection);
    return effects.flatMap(({ reference, amount, currencyCode }) =>
      reference === of ? [{ reference, amount, currencyCode }] : [],
    );
  }

  async token(reference: string, card: TestCard = 'approved', connection = this.tested.connection): Promise<string> {
    const request = { reference: `tok_${reference}`, accountId: 'acc_1', from: this.tested.card(card, connection) };
    const tokenized = await this.processor.tokenize(request, this.call(undefined, connection));
    if (tokenized.kind !== 'token') throw new Error(tokenized.description);
    return tokenized.processorToken;
  }

  /** An authorization of 10.00 EUR before anything was asked for but its token. */
  async requested(reference: string, { card, connection, ...wish }: Wish = {}): Promise<AuthorizationRequest> {
    return {
      ...ABOUT,
      operation: 'authorization',
      reference,
      paymentId: `pay_${reference}`,
      amount: 1_000,
      processorToken: await this.token(reference, card, connection),
      returnUrl: 'https://shop.example/back',
      ...wish,
    };
  }

  /** With its name on record, at a processor that prepares. */
  async prepared(request: AuthorizationRequest, connection?: Connection): Promise<AuthorizationRequest> {
    const outcome = await this.processor.prepare?.(request, this.call(undefined, connection));
    if (outcome === undefined) return request;
    expect(outcome, request.reference).to.have.property('kind', 'prepared');
    return outcome.kind === 'prepared'
      ? { ...request, processorTransactionId: outcome.processorTransactionId }
      : request;
  }

  /** Ready to be performed. */
  async authorization(reference: string, wish: Wish = {}): Promise<AuthorizationRequest> {
    return this.prepared(await this.requested(reference, wish), wish.connection);
  }

  /** Requested for a card whose issuer wants to see the customer: with the answer that says where. */
  async challenged(reference: string): Promise<readonly [AuthorizationRequest, RequiresAction]> {
    const { challenges, connection } = this.tested;
    if (challenges === undefined) throw new Error('the suite needs a card whose customer has to act');
    const from = challenges.card(connection);
    const tokenized = await this.processor.tokenize(
      { reference: `tok_${reference}`, accountId: 'acc_1', from },
      this.call(),
    );
    if (tokenized.kind !== 'token') throw new Error(tokenized.description);
    const requested = { ...(await this.requested(reference)), processorToken: tokenized.processorToken };
    const request = await this.prepared(requested);
    const outcome = await this.perform(request);
    expect(outcome).to.have.property('kind', 'requires_action');
    if (outcome.kind !== 'requires_action') throw new Error(outcome.kind);
    return [{ ...request, processorTransactionId: outcome.processorTransactionId }, outcome];
  }

  /** A card that a payment of its customer has saved: its token, and the network's names of that payment. */
  async savedCard(reference: string): Promise<SavedCard> {
    const { saved, connection } = this.tested;
    if (saved === undefined) throw new Error('the suite needs a card that is saved');
    const tokenizing = { reference: `tok_${reference}`, accountId: 'acc_1', from: saved.card(connection) };
    const tokenized = await this.processor.tokenize(tokenizing, this.call());
    if (tokenized.kind !== 'token') throw new Error(tokenized.description);
    const { processorToken } = tokenized;
    const asked = { ...(await this.requested(reference)), processorToken, keeps: true, paymentType: 'FIRST_PAYMENT' };
    const request = await this.prepared({ ...asked, keeps: true });
    const outcome = await this.perform(request);
    expect(outcome).to.have.property('kind', 'succeeded');
    const { authorization = {} } = outcome.kind === 'succeeded' ? outcome : {};
    const kept = await this.processor.kept?.(request, this.call());
    const names = { ...networkNames(authorization), ...(kept?.kind === 'kept' && networkNames(kept)) };
    return { names, processorToken: kept?.kind === 'kept' ? kept.processorToken : processorToken };
  }

  perform(request: OperationRequest, connection?: Connection): Promise<Outcome> {
    return this.processor.perform(request, this.call(undefined, connection));
  }

  /** Goes on after the customer has acted: a processor that does so on its own is only asked for the outcome. */
  goOn(request: OperationRequest): Promise<Outcome | LookUp | TakenBack> {
    const { resume } = this.processor;
    return resume === undefined ? this.lookUp(request) : resume(request, this.call());
  }

  lookUp(request: OperationRequest, connection?: Connection): Promise<LookUp | TakenBack> {
    return this.processor.lookUp(request, this.call(undefined, connection));
  }

  /** Performed, and as a success is on record; with the processor's name of it. */
  async done<Request extends OperationRequest>(
    request: Request,
  ): Promise<Request & { readonly processorTransactionId: string }> {
    const outcome = await this.perform(request);
    expect(outcome, request.reference).to.have.property('kind', 'succeeded');
    if (outcome.kind !== 'succeeded') throw new Error(outcome.kind);
    return { ...request, processorTransactionId: outcome.processorTransactionId };
  }

  /** An authorization that succeeded. */
  async held(reference: string, wish: Wish = {}): Promise<Held> {
    const { paymentId, processorTransactionId } = await this.done(await this.authorization(reference, wish));
    return { paymentId, authorization: { processorTransactionId } };
  }

  capture(reference: string, amount: number, of: Held, final = true) {
    return { ...ABOUT, ...of, operation: 'capture', reference, amount, final } as const;
  }

  /** Requests for refunds of a payment that was captured in full. */
  async refunds(reference: string, amount: number): Promise<(of: string, part: number) => OperationRequest> {
    const held = await this.held(`${reference}a`, { amount });
    const { processorTransactionId } = await this.done(this.capture(`${reference}c`, amount, held));
    const captures = [{ processorTransactionId }];
    return (of, part) => ({ ...ABOUT, ...held, operation: 'refund', reference: of, amount: part, captures });
  }

  /** A request of each operation that follows from an existing authorization, with an amount of its own. */
  async following(): Promise<readonly OperationRequest[]> {
    const { adjustment, partialCapture } = this.processor.capabilities(this.tested.connection);
    const refund = await this.refunds('toRefund', 900);
    const toVoid = await this.held('toVoid');
    const adjust = async (): Promise<OperationRequest> => ({
      ...ABOUT,
      ...(await this.held('toAdjust', { isEstimated: true })),
      operation: 'adjustment',
      reference: 'adjust1',
      amount: 1_500,
    });
    return [
      this.capture('capture1', partialCapture ? 700 : 1_000, await this.held('toCapture')),
      { ...ABOUT, ...toVoid, operation: 'cancellation', reference: 'void1', amount: 0 },
      refund('refund1', 300),
      ...(adjustment === 'none' ? [] : [await adjust()]),
    ];
  }

  /** A request of each operation, ready to be performed. */
  async all(): Promise<readonly OperationRequest[]> {
    return [await this.authorization('payment1'), ...(await this.following())];
  }

  /** Calls while the server misbehaves. If no answer will come, the deadline comes once the server is done. */
  async during<T>(how: Misbehaviour, work: (call: Call) => Promise<T>, nth?: number): Promise<T> {
    await this.faults.misbehave(how, nth);
    const over = new AbortController();
    const asked = work(this.call(over.signal)).finally(() => over.abort());
    if (SILENT.has(how)) {
      await until(() => over.signal.aborted || this.faults.isHolding());
      over.abort();
    }
    try {
      return await asked;
    } finally {
      await this.faults.misbehave(undefined);
    }
  }

  /** Performs it while the server misbehaves. */
  performDuring(how: Misbehaviour, request: OperationRequest, nth?: number): Promise<Outcome> {
    return this.during(how, (call) => this.processor.perform(request, call), nth);
  }

  /** Nothing of an outcome may tell what nobody should read: no secret, no number of a card. */
  isDiscreet(outcome: object): void {
    const from = this.tested.card('approved', this.tested.connection);
    const number = 'card' in from ? [from.card.number] : [];
    for (const secret of [...Object.values(this.tested.connection.secrets), ...number])
      expect(JSON.stringify(outcome)).to.not.contain(secret);
  }
}

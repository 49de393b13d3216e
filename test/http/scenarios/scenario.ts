// Plays a scenario: asks over HTTP what its steps say, and holds answers, events, notifications, ledger and books against it.
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import { z } from 'zod';
import { openAttempts } from '../../../src/domain/payment/state.ts';
import { payments } from '../../../src/projections/payments.ts';
import { compareBooks } from '../../../src/queries/books/compare-books.ts';
import { bodyOf, type Merchant, openMerchant } from '../../support/http-merchant.ts';
import type { Answer } from '../../support/http-request.ts';
import type { Stage } from './stage.ts';

/**
 * What is done · what is answered · which events the payment's stream gains, with the evidence · which notifications are sent.
 * Done: `pay`, `vault`, `capture`, `cancel`, `refund`, `adjust`, each with JSON of what is sent; `after 5s` (or m, h, d); `diff`.
 * Answered: status, payment's status or errorId, reason, and each refund; after a time only the payment as it is then.
 */
export type Step = readonly [act: string, answer: string, events?: string, notifications?: string];

export interface Scenario {
  readonly steps: readonly Step[];
  /** The sandbox's lines for the payment, oldest first. */
  readonly ledger: readonly string[];
  /** Authorized, captured, refunded in the end, minor units. */
  readonly money: readonly [authorized: number, captured: number, refunded: number];
  /** Attempts that are still open then; 0 when it is left out. */
  readonly open?: number;
  /** What the sandbox is told before. */
  readonly faults?: object;
}

const Reason = z.looseObject({ type: z.string(), code: z.string().optional() });
const Payment = z.looseObject({
  id: z.string(),
  status: z.string(),
  statusReason: Reason.optional(),
  processor: z.looseObject({ amountAuthorized: z.int(), amountCaptured: z.int(), amountRefunded: z.int() }),
  transactions: z.array(z.looseObject({ transactionType: z.string(), status: z.string(), statusReason: Reason.optional() })),
});
const Failure = z.object({ error: z.looseObject({ errorId: z.string(), statusReason: Reason.optional() }) });
const Instrument = z.looseObject({ token: z.string(), tokenType: z.string() });
const Evidence = z.looseObject({ evidence: z.looseObject({ source: z.string() }).optional() });
const History = z.looseObject({ data: z.array(z.looseObject({ type: z.string(), data: Evidence })), nextCursor: z.undefined().optional() });
const Ledger = z.looseObject({
  data: z.array(
    z.looseObject({ reference: z.string(), operation: z.string(), amount: z.int(), currencyCode: z.string(), outcome: z.string() }),
  ),
});

/** How long a step may take to show what it should, ms, and how often it is looked at. */
const PATIENCE_MS = 5_000;
const LOOK_EVERY_MS = 5;

/** With an account of its own. Throws what chai throws where something is not as the scenario says. */
export async function play(stage: Stage, scenario: Scenario, number: string): Promise<void> {
  const merchant = await openMerchant(`Shop ${number}`, stage.http.service, stage.http.request);
  const player = new Player(stage, merchant, number);
  await player.prepare(scenario.faults);
  for (const step of scenario.steps) await player.step(step);
  await player.end(scenario);
}

const words = (text = ''): readonly string[] => text.split(' ').filter((word) => word !== '');
const reasonOf = (reason: z.output<typeof Reason> | undefined): string => (reason === undefined ? '' : ` ${reason.code ?? reason.type}`);

interface Seen {
  readonly answer: string;
  readonly events: readonly string[];
  readonly notifications: readonly string[];
}

/** Where the evidence may be either (`AttemptDeclined/notification|lookup`), what was seen is wanted. */
function chosen(wanted: Seen, seen: Seen): Seen {
  const events = wanted.events.map((event, place) => {
    const [type, evidence = ''] = event.split('/');
    const found = seen.events[place];
    return evidence.split('|').some((one) => found === `${type}/${one}`) && found !== undefined ? found : event;
  });
  return { ...wanted, events };
}

class Player {
  readonly #stage: Stage;
  readonly #merchant: Merchant;
  readonly #number: string;
  #paymentId = '';
  #token: string | undefined;
  /** All that the steps up to now should have left. */
  readonly #events: string[] = [];
  readonly #notifications: string[] = [];
  readonly #deliveredBefore: number;

  constructor(stage: Stage, merchant: Merchant, number: string) {
    this.#stage = stage;
    this.#merchant = merchant;
    this.#number = number;
    this.#deliveredBefore = stage.deliveries.length;
  }

  /** Notifications of the account come with a key of its own that may do nothing else. */
  async prepare(faults: object | undefined): Promise<void> {
    const { key } = await this.#merchant.keyFor('third_party:webhook_trigger');
    await this.#stage.http.stores.sandbox.connect({ accountId: this.#merchant.accountId, apiKey: key });
    if (faults !== undefined) expect((await this.#merchant.ask('PUT', '/sandbox/faults', faults)).status).to.equal(200);
  }

  async step([act, answer, events, notifications]: Step): Promise<void> {
    this.#events.push(...words(events));
    this.#notifications.push(...(notifications?.split(', ') ?? []));
    const said = await this.#acted(act);
    const wanted = { answer, events: this.#events, notifications: this.#notifications };
    const look = async (): Promise<Seen> => ({ answer: said ?? (await this.#now()), ...(await this.#left()) });
    let seen = await look();
    // What goes on by itself has come to its end when nothing is due and all is as it should be; else the last look is the failure.
    await this.#until(async () => {
      seen = await look();
      return (await this.#stage.isQuiet()) && isDeepStrictEqual(seen, chosen(wanted, seen));
    });
    expect(seen, act).to.deep.equal(chosen(wanted, seen));
  }

  async end({ ledger, money, open = 0 }: Scenario): Promise<void> {
    const { sandbox } = this.#stage.http.stores;
    const { data } = bodyOf(await this.#merchant.ask('GET', '/sandbox/ledger'), Ledger);
    expect(data.map((line) => `${line.operation} ${line.outcome} ${line.amount} ${line.currencyCode}`)).to.deep.equal(ledger);
    await this.#until(async () => (await sandbox.undelivered(this.#merchant.accountId)).count === 0); // the last one may just be ticked off
    expect((await sandbox.undelivered(this.#merchant.accountId)).count).to.equal(0);
    const { processor } = bodyOf(await this.#read(), Payment);
    expect([processor.amountAuthorized, processor.amountCaptured, processor.amountRefunded]).to.deep.equal(money);
    expect(await this.#diff()).to.equal(open === 0 ? 'equal' : `equal, ${open} open`);
    expect(this.#stage.http.faults).to.deep.equal([]);
  }

  /** Or until patience ends. */
  async #until(isSo: () => Promise<boolean>): Promise<void> {
    const deadline = performance.now() + PATIENCE_MS;
    while (!(await isSo()) && performance.now() < deadline) await this.#stage.http.world.sleep(LOOK_EVERY_MS, new AbortController().signal);
  }

  /** What `sandbox diff` says of all payments, and how much of this one is not settled. */
  async #diff(): Promise<string> {
    const { service, stores, world } = this.#stage.http;
    const differences: object[] = [];
    await compareBooks({
      books: stores.sandbox,
      readModels: service.readModels,
      world,
      current: (id) => service.house.payments.current(id),
      found: (difference) => void differences.push(difference),
    });
    const [row] = await service.readModels.get(payments, [this.#paymentId]);
    const open = row === undefined ? 0 : openAttempts(row.doc).length;
    return `${differences.length === 0 ? 'equal' : JSON.stringify(differences)}${open === 0 ? '' : `, ${open} open`}`;
  }

  /** What was answered; undefined where nothing was asked. */
  async #acted(act: string): Promise<string | undefined> {
    const [verb = '', ...rest] = act.split(' ');
    const text = rest.join(' ');
    if (verb === 'after') {
      this.#stage.advance(msIn(text));
      return undefined;
    }
    const body: object = text === '' ? {} : JSON.parse(text);
    if (verb === 'diff') return this.#diff();
    if (verb === 'vault') return this.#vault();
    if (verb === 'pay') return this.#pay(body);
    const path = verb === 'adjust' ? 'adjust-authorization' : verb;
    return spoken(await this.#merchant.ask('POST', `/payments/${this.#paymentId}/${path}`, body));
  }

  async #pay(fields: object): Promise<string> {
    const clientToken = await this.#merchant.session();
    const paymentMethodToken = this.#token ?? (await this.#merchant.tokenize(clientToken, this.#number));
    const answer = await this.#merchant.ask('POST', '/payments', { paymentMethodToken, clientToken, ...fields });
    const { success, data } = Payment.safeParse(answer.body);
    if (success) this.#paymentId = data.id;
    return spoken(answer);
  }

  async #vault(): Promise<string> {
    const token = await this.#merchant.tokenize(await this.#merchant.session(), this.#number);
    const answer = await this.#merchant.ask('POST', `/payment-instruments/${token}/vault`, { customerId: 'c-1' });
    const { token: vaulted, tokenType } = bodyOf(answer, Instrument);
    this.#token = vaulted;
    return `${answer.status} ${tokenType}`;
  }

  #read(): Promise<Answer> {
    return this.#merchant.ask('GET', `/payments/${this.#paymentId}`);
  }

  async #now(): Promise<string> {
    return paymentIn(bodyOf(await this.#read(), Payment));
  }

  /** What the payment's stream holds, and what was sent since the scenario began. */
  async #left(): Promise<Omit<Seen, 'answer'>> {
    const notifications = this.#stage.deliveries.slice(this.#deliveredBefore);
    if (this.#paymentId === '') return { events: [], notifications };
    const { data } = bodyOf(await this.#merchant.ask('GET', `/payments/${this.#paymentId}/events?limit=100`), History);
    const events = data.map(({ type, data: { evidence } }) => (evidence === undefined ? type : `${type}/${evidence.source}`));
    return { events, notifications };
  }
}

function spoken({ status, body }: Answer): string {
  const failure = Failure.safeParse(body);
  if (failure.success) return `${status} ${failure.data.error.errorId}${reasonOf(failure.data.error.statusReason)}`;
  return `${status} ${paymentIn(Payment.parse(body))}`;
}

function paymentIn({ status, statusReason, transactions }: z.output<typeof Payment>): string {
  const refunds = transactions.filter(({ transactionType }) => transactionType === 'REFUND');
  return [`${status}${reasonOf(statusReason)}`, ...refunds.map((one) => `refund ${one.status}${reasonOf(one.statusReason)}`)].join(', ');
}

const UNITS: ReadonlyMap<string, number> = new Map([
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]);
function msIn(text: string): number {
  const unit = UNITS.get(text.slice(-1));
  if (unit === undefined) throw new Error(`no duration: ${text}`);
  return Number(text.slice(0, -1)) * unit;
}

// Plays a scenario: sends the requests of its steps over HTTP, and compares answers, events, notifications, ledger and
// books with it.
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import { openAttempts } from '../../../src/domain/payment/queries.ts';
import { payments } from '../../../src/projections/models/payments.ts';
import { compareLedger } from '../../../src/queries/ledger/compare-ledger.ts';
import { bodyOf, type Merchant, openMerchant } from '../../support/http-merchant.ts';
import type { Answer } from '../../support/http-request.ts';
import { card } from '../../support/node.ts';
import { claimsDue, claimsOf } from './claims.ts';
import type { Stage } from './stage.ts';
import { History, Instrument, Ledger, msIn, Payment, paymentIn, spoken } from './wording.ts';

/**
 * The action · the answer · the events that the payment's stream gains, with the evidence · the notifications that are
 * sent. Done: `pay`, `tokenize`, `vault`, `capture`, `cancel`, `refund`, `adjust`, `evidence`, `accept`, each with
 * JSON; `approve` and `fail` on the page that the customer is challenged on, and `resume` with the token that the
 * customer came back with; `after 5s` (or m, h, d); `diff`; `ledger`, which waits for the lines of its answer.
 * Answered: status, payment's status or errorId, reason, and each refund; after a time only the payment as it is then.
 */
export type Step = readonly [act: string, answer: string, events?: string, notifications?: string | undefined];

export interface Scenario {
  readonly steps: readonly Step[];
  /** The sandbox's lines for the payment, oldest first. */
  readonly ledger: readonly string[];
  /** Authorized, captured, refunded in the end, minor units. */
  readonly money: readonly [authorized: number, captured: number, refunded: number];
  /** Attempts that are still open then; 0 when it is left out. */
  readonly open?: number;
  /** Faults that the service reports meanwhile; none when it is left out. */
  readonly reported?: readonly string[];
  /** The fault rules that the sandbox gets before. */
  readonly faults?: object;
  /** Calls that hang are given up after the service has its notifications, not before. */
  readonly toldFirst?: boolean;
}

/** The longest time that a step may take, ms of an undisturbed machine, and the interval of the looks at it. */
const PATIENCE_MS = 20_000;
const LOOK_EVERY_MS = 5;

/** With an account of its own. Throws chai's errors where a fact differs from the scenario. */
export async function play(stage: Stage, scenario: Scenario, number: string): Promise<void> {
  const merchant = await openMerchant(`Shop ${number.slice(-4)}`, stage.http.service, stage.http.request);
  const player = new Player(stage, merchant, number);
  await player.prepare(scenario.faults);
  stage.holdDeadlines(scenario.toldFirst ? () => player.isTold() : undefined);
  try {
    for (const step of scenario.steps) await player.step(step);
  } finally {
    stage.holdDeadlines(undefined);
  }
  await player.end(scenario);
}

const words = (text = ''): readonly string[] => text.split(' ').filter((word) => word !== '');

interface Seen {
  readonly answer: string;
  readonly events: readonly string[];
  readonly notifications: readonly string[];
}

const REPEATED = 'OutcomeRepeated/notification';

/** Where the evidence may be either (`CaptureDeclined/notification|lookup`), the observed one is expected. */
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
  /** Where the customer is challenged, and the token that the return URL was called with. */
  #challenge = '';
  #resumeToken = '';
  /** All that the steps up to now should have left. */
  readonly #events: string[] = [];
  readonly #notifications: string[] = [];
  readonly #deliveredBefore: number;
  readonly #reportedBefore: ReadonlySet<unknown>;

  constructor(stage: Stage, merchant: Merchant, number: string) {
    this.#stage = stage;
    this.#merchant = merchant;
    this.#number = number;
    this.#deliveredBefore = stage.deliveries.length;
    this.#reportedBefore = new Set(stage.http.faults);
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
    const now = act === 'ledger' ? (): Promise<string> => this.#inLedger() : (): Promise<string> => this.#now();
    // A notification of a later millisecond than the answer that says the same is on record, and has no effect.
    const isExpected = (event: string): boolean =>
      event !== REPEATED || this.#events.some((one) => one.startsWith('OutcomeRepeated'));
    const look = async (): Promise<Seen> => {
      const { events, notifications: told } = await this.#left();
      return { answer: said ?? (await now()), events: events.filter(isExpected), notifications: told };
    };
    let seen: Seen = { answer: '', events: [], notifications: [] };
    // Background work is done when no work is due and every expectation holds; else the last look is the failure.
    await this.#until(async () => {
      seen = await look();
      return isDeepStrictEqual(seen, chosen(wanted, seen)) && (await this.#stage.isQuiet());
    });
    expect(seen, act).to.deep.equal(chosen(wanted, seen));
  }

  async end({ ledger, money, open = 0, reported = [] }: Scenario): Promise<void> {
    const { sandbox } = this.#stage.http.stores;
    expect(await this.#inLedger()).to.equal(ledger.join(', '));
    // the last one may just be ticked off
    await this.#until(async () => (await sandbox.undelivered(this.#merchant.accountId)).count === 0);
    expect((await sandbox.undelivered(this.#merchant.accountId)).count).to.equal(0);
    const { processor } = bodyOf(await this.#read(), Payment);
    expect([processor.amountAuthorized, processor.amountCaptured, processor.amountRefunded]).to.deep.equal(money);
    expect(await this.#diff()).to.equal(open === 0 ? 'equal' : `equal, ${open} open`);
    const { service } = this.#stage.http;
    const due = await claimsDue(service, this.#paymentId);
    // after the last event
    await this.#until(async () => isDeepStrictEqual(await claimsOf(service, this.#paymentId), due));
    expect(await claimsOf(service, this.#paymentId)).to.deep.equal(due);
    const reportedNow = this.#stage.http.faults.filter((fault) => !this.#reportedBefore.has(fault));
    expect(reportedNow.map(String)).to.deep.equal(reported);
  }

  /** True if the service knows the outcome of all that the sandbox has done. */
  async isTold(): Promise<boolean> {
    const { service, stores } = this.#stage.http;
    const { lines } = await stores.sandbox.ledgerOf(this.#merchant.accountId, 100);
    const found = await Promise.all(lines.map(({ paymentId }) => service.streams.payments.current(paymentId)));
    return lines.length > 0 && found.every(({ state }) => openAttempts(state).length === 0);
  }

  /** Or until patience ends. */
  async #until(isSo: () => Promise<boolean>): Promise<void> {
    const { world } = this.#stage.http;
    const deadline = world.monotonic() + PATIENCE_MS;
    while (!(await isSo()) && world.monotonic() < deadline)
      await world.sleep(LOOK_EVERY_MS, new AbortController().signal);
  }

  async #inLedger(): Promise<string> {
    const { data } = bodyOf(await this.#merchant.ask('GET', '/sandbox/ledger'), Ledger);
    return data.map((line) => `${line.operation} ${line.outcome} ${line.amount} ${line.currencyCode}`).join(', ');
  }

  /** The words of `sandbox diff` on all payments, and the number of this payment's attempts that are not settled. */
  async #diff(): Promise<string> {
    const { service, stores, world } = this.#stage.http;
    const differences: object[] = [];
    await compareLedger({
      ledger: stores.sandbox,
      readModels: service.readModels,
      world,
      current: (id) => service.streams.payments.current(id),
      found: (difference) => void differences.push(difference),
    });
    const [row] = await service.readModels.get(payments, [this.#paymentId]);
    const open = row === undefined ? 0 : openAttempts(row.doc).length;
    return `${differences.length === 0 ? 'equal' : JSON.stringify(differences)}${open === 0 ? '' : `, ${open} open`}`;
  }

  /** The answer; undefined if no request was sent. */
  async #acted(act: string): Promise<string | undefined> {
    const [verb = '', ...rest] = act.split(' ');
    const text = rest.join(' ');
    if (verb === 'after') {
      this.#stage.advance(msIn(text));
      return undefined;
    }
    const body: object = text === '' ? {} : JSON.parse(text);
    if (verb === 'ledger') return undefined;
    if (verb === 'diff') return this.#diff();
    if (verb === 'tokenize') return this.#tokenize();
    if (verb === 'vault') return this.#vault();
    if (verb === 'pay') return this.#pay(body);
    if (verb === 'approve' || verb === 'fail') return this.#answerChallenge(verb);
    if (verb === 'resume')
      return spoken(
        await this.#merchant.ask('POST', `/payments/${this.#paymentId}/resume`, { resumeToken: this.#resumeToken }),
      );
    if (verb === 'evidence' || verb === 'accept') return this.#answerDispute(verb, body);
    const path = verb === 'adjust' ? 'adjust-authorization' : verb;
    return spoken(await this.#merchant.ask('POST', `/payments/${this.#paymentId}/${path}`, body));
  }

  /** The newest dispute. */
  async #answerDispute(verb: string, body: object): Promise<string> {
    const id = bodyOf(await this.#read(), Payment).disputes.at(-1)?.id ?? '';
    return spoken(await this.#merchant.ask('POST', `/payments/${this.#paymentId}/disputes/${id}/${verb}`, body));
  }

  async #pay(fields: object): Promise<string> {
    const clientToken = await this.#merchant.session();
    const paymentMethodToken = this.#token ?? (await this.#merchant.tokenize(clientToken, this.#number));
    const answer = await this.#merchant.ask('POST', '/payments', { paymentMethodToken, clientToken, ...fields });
    const { success, data } = Payment.safeParse(answer.body);
    if (success) this.#paymentId = data.id;
    if (success && data.requiredAction !== undefined) this.#challenge = new URL(data.requiredAction.url).pathname;
    return spoken(answer);
  }

  /** As a browser does: the form is sent, and the answer leads back with the payment and its token. */
  async #answerChallenge(outcome: 'approve' | 'fail'): Promise<string> {
    const url = `http://127.0.0.1:${this.#stage.http.port}${this.#challenge}`;
    const answer = await fetch(url, { method: 'POST', body: new URLSearchParams({ outcome }), redirect: 'manual' });
    const location = answer.headers.get('Location');
    if (location === null) return `${answer.status}`;
    const { pathname, searchParams } = new URL(location);
    expect(searchParams.get('paymentId')).to.equal(this.#paymentId);
    this.#resumeToken = searchParams.get('resumeToken') ?? '';
    return `${answer.status} ${pathname}`;
  }

  /** Without paying: the token of a later payment is another one. */
  async #tokenize(): Promise<string> {
    const body = card(this.#number);
    const token = await this.#merchant.session();
    const answer = await this.#stage.http.request('POST', '/checkout/payment-instruments', { token, body });
    return answer.status === 200 ? '200' : spoken(answer);
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

  /** The events of the payment's stream, and the notifications sent since the scenario began. */
  async #left(): Promise<Omit<Seen, 'answer'>> {
    const notifications = this.#stage.deliveries.slice(this.#deliveredBefore);
    if (this.#paymentId === '') return { events: [], notifications };
    const { data } = bodyOf(await this.#merchant.ask('GET', `/payments/${this.#paymentId}/events?limit=100`), History);
    const events = data.map(({ type, data: { evidence } }) =>
      evidence === undefined ? type : `${type}/${evidence.source}`,
    );
    return { events, notifications };
  }
}

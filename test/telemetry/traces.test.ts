// Spans of a real service over a real socket: their names, their parents, and the data that is never in them.
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { expect } from 'chai';
import { StoreUnavailable } from '../../src/stores/store-unavailable.ts';
import { openSpans } from '../../src/telemetry/opentelemetry.ts';
import { ask } from '../http/frame/serve.ts';
import { CARDS } from '../support/http-merchant.ts';
import { type HttpService, serveHttp } from '../support/http-service.ts';
import { merchant, nodeOn } from '../support/node.ts';
import { type Switches, switchable } from '../support/switchable-stores.ts';
import { until } from '../support/until.ts';
import { type RecordedSpans, recordSpans } from './recorded-spans.ts';

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const CALLER_SPAN = 'b7ad6b7169203331';

describe('spans', () => {
  const switches: Switches = {};
  let spans: RecordedSpans;
  let http: HttpService;
  before(async () => {
    spans = recordSpans();
    const opened = openSpans();
    if (opened === undefined) throw new Error('a provider is registered, and was not noticed');
    http = await serveHttp({
      through: switchable(switches),
      sinks: (world) => ({ meters: undefined, spans: opened, world }),
      timings: { sendWithinMs: 5_000, answerWithinMs: 1_500, abandonAfterMs: 60_000 },
      sandboxInMemory: true,
    });
  });
  after(async () => {
    await http.stop();
    await spans.stop();
  });
  beforeEach(() => spans.forget());

  /** The one span of that name that has ended; waits for it, because an answer goes out before its span ends. */
  async function spanOf(name: string): Promise<ReadableSpan> {
    for (;;) {
      const found = spans.ended().find((span) => span.name === name);
      if (found !== undefined) return found;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  const parentOf = (span: ReadableSpan): string | undefined =>
    spans.ended().find((other) => other.spanContext().spanId === span.parentSpanContext?.spanId)?.name;

  it('follow a payment from its request over its commands and appends to the processor', async () => {
    const { id } = await http.shop.paid();
    const request = await spanOf('POST /payments');
    expect(request.kind).to.equal(SpanKind.SERVER);
    expect(request.attributes).to.include({
      'http.request.method': 'POST',
      'http.route': '/payments',
      'http.response.status_code': 200,
    });
    const requested = spans
      .ended()
      .filter((span) => span.name === 'transact payment' && parentOf(span) === 'POST /payments');
    expect(requested.map(({ attributes }) => attributes)).to.deep.include({
      'counterfoil.stream': `payment-${id}`,
      'counterfoil.result': 'written',
    });
    const appended = await spanOf('append payment');
    expect(parentOf(appended)).to.equal('transact payment');
    expect(appended.kind).to.equal(SpanKind.CLIENT);
    expect(appended.attributes).to.deep.equal({
      'counterfoil.stream': `payment-${id}`,
      'counterfoil.events': 2,
      'counterfoil.result': 'written',
    });
    const call = await spanOf('authorization sandbox');
    expect(parentOf(call)).to.equal('POST /payments');
    expect(call.attributes).to.include({
      'counterfoil.processor': 'sandbox',
      'counterfoil.operation': 'authorization',
      'counterfoil.outcome': 'succeeded',
      'counterfoil.payment': id,
    });
    const all = [request, appended, call, ...requested].map((span) => span.spanContext().traceId);
    expect(new Set(all).size).to.equal(1);
  });

  it('go on with the trace of the caller', async () => {
    const headers = { 'x-api-key': http.shop.key, traceparent: `00-${TRACE_ID}-${CALLER_SPAN}-01` };
    await ask(http.port, { path: '/payments', headers });
    const span = await spanOf('GET /payments');
    expect([span.spanContext().traceId, span.parentSpanContext?.spanId]).to.deep.equal([TRACE_ID, CALLER_SPAN]);
  });

  it('begin a trace where the caller names none, or something else', async () => {
    for (const traceparent of [undefined, 'nonsense', `00-${TRACE_ID}`]) {
      spans.forget();
      await ask(http.port, { path: '/health/live', headers: traceparent === undefined ? {} : { traceparent } });
      const span = await spanOf('GET /health/live');
      expect(span.parentSpanContext).to.equal(undefined);
      expect(span.spanContext().traceId).not.to.equal(TRACE_ID);
    }
  });

  it('keep the traces of requests that run at the same time apart', async () => {
    const traceIds = Array.from(
      { length: 20 },
      (_, index) => `${TRACE_ID.slice(0, 30)}${String(index).padStart(2, '0')}`,
    );
    const body = '{"orderId":"o","currencyCode":"EUR","amount":100}';
    await Promise.all(
      traceIds.map((traceId) =>
        ask(http.port, {
          method: 'POST',
          path: '/client-session',
          body,
          headers: {
            'x-api-key': http.shop.key,
            'content-type': 'application/json',
            traceparent: `00-${traceId}-${CALLER_SPAN}-01`,
          },
        }),
      ),
    );
    await until(() => spans.ended().filter(({ name }) => name === 'POST /client-session').length >= traceIds.length);
    for (const traceId of traceIds) {
      const own = spans.ended().filter((span) => span.spanContext().traceId === traceId);
      expect(own.map(({ name }) => name).sort()).to.deep.equal([
        'POST /client-session',
        'append clientSession',
        'transact clientSession',
      ]);
    }
  });

  it('of a path that holds a token name its template alone', async () => {
    const token = `${'0'.repeat(32)}_${'7'.repeat(64)}`;
    await http.request('POST', `/webhooks/sandbox/${token}`, { text: '{}' });
    await until(() => spans.ended().some(({ name }) => name === 'POST /webhooks/:processor/:token'));
    const told = spans.ended().map(({ name, attributes, events }) => ({ name, attributes, events }));
    expect(JSON.stringify(told)).to.not.contain('7777777');
  });

  it('name the unknown outcome, at the deadline', async () => {
    await http.shop.pay({ card: CARDS.lost });
    const call = await spanOf('authorization sandbox');
    expect(call.attributes['counterfoil.outcome']).to.equal('unknown');
    expect(call.status.code).to.equal(SpanStatusCode.ERROR);
  });

  it('name the kind of a failure without the words of the fault', async () => {
    switches.beforeAppend = new StoreUnavailable('a secret detail of the store');
    const { status } = await http.shop.ask('POST', '/client-session', {});
    delete switches.beforeAppend;
    expect(status).to.equal(503);
    for (const name of ['POST /client-session', 'transact clientSession', 'append clientSession']) {
      const span = await spanOf(name);
      expect([span.status.code, span.attributes['error.type']]).to.deep.equal([
        SpanStatusCode.ERROR,
        name.startsWith('POST') ? '503' : 'StoreUnavailable',
      ]);
    }
    expect(
      JSON.stringify(spans.ended().map(({ status: said, events, attributes }) => ({ said, events, attributes }))),
    ).not.to.contain('secret');
  });

  it('have a refusal of the caller as no fault of ours', async () => {
    await http.shop.ask('GET', '/payments/pay_none');
    const span = await spanOf('GET /payments/:id');
    expect([span.status.code, span.attributes['http.response.status_code']]).to.deep.equal([SpanStatusCode.UNSET, 404]);
  });

  it('call a path that is not a route by its method alone', async () => {
    await ask(http.port, { method: 'PURGE', path: '/somewhere/secret' });
    const span = await spanOf('HTTP');
    expect(span.attributes).to.include({ 'http.request.method': '_OTHER', 'http.response.status_code': 404 });
    expect(span.attributes).not.to.have.property('http.route');
  });

  it('tell which projection got how many events of another node', async () => {
    const { service } = await nodeOn(http.stores, { cardTestingLimits: false });
    await service.sessions.createClientSession({}, merchant(http.shop.accountId, http.world));
    const span = await spanOf('project client-sessions');
    expect(span.parentSpanContext).to.equal(undefined);
    expect(span.attributes['counterfoil.projection']).to.equal('client-sessions');
    expect(span.attributes['counterfoil.events']).to.equal(1);
  });

  it('hold nothing of a card, of a token or of a key', async () => {
    const clientToken = await http.shop.session();
    const token = await http.shop.tokenize(clientToken);
    await http.shop.ask('GET', `/client-session?clientToken=${clientToken}`);
    await http.shop.ask('GET', `/payment-instruments/${token}`);
    await spanOf('GET /payment-instruments/:token');
    const text = JSON.stringify(
      spans.ended().map(({ name, attributes, events, status }) => ({ name, attributes, events, status })),
    );
    const signature = clientToken.split('.').at(-1) ?? clientToken;
    for (const secret of [CARDS.approved, CARDS.approved.slice(0, 6), signature, http.shop.key])
      expect(text).not.to.contain(secret);
  });
});

describe('without a tracer provider', () => {
  it('nothing is watched', () => {
    expect(openSpans()).to.equal(undefined);
  });
});

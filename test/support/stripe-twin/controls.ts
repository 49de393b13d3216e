// The controls over HTTP, on a port of their own: `POST /<control>` with its arguments as JSON, or `GET /` for a list.
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { z } from 'zod';
import { Failure } from './failure.ts';
import type { Fault } from './faults.ts';
import { bodyOf } from './server.ts';
import type { StripeTwin, TwinAccount } from './stripe-twin.ts';

const effect = z.enum(['done', 'none']);
const FaultSent = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('hold'), at: z.enum(['arrival', 'response', 'running']) }),
  z.strictObject({ kind: z.enum(['server_error', 'bad_gateway', 'reset', 'hang']), effect }),
  z.strictObject({ kind: z.enum(['truncated', 'rate_limit']) }),
  z.strictObject({
    kind: z.literal('declined'),
    declineCode: z.string(),
    adviceCode: z.string().exactOptional(),
    networkDeclineCode: z.string().exactOptional(),
  }),
  z.strictObject({ kind: z.literal('altered'), members: z.record(z.string(), z.union([z.string(), z.number()])) }),
  z.strictObject({ kind: z.literal('refused'), status: z.int(), code: z.string() }),
]);
/** `path`: a regular expression. */
const MatchSent = z
  .strictObject({
    method: z.enum(['DELETE', 'GET', 'POST']).exactOptional(),
    path: z
      .string()
      .transform((pattern) => new RegExp(pattern))
      .exactOptional(),
    key: z.string().exactOptional(),
    nth: z.int().min(1).exactOptional(),
  })
  .default({});
const flag = z.boolean().exactOptional();
const how = { twice: flag, otherMode: flag, oldSecret: flag };
const ModeSent = z.strictObject({
  when: z.enum(['after', 'before', 'held']).exactOptional(),
  reversed: flag,
  ...how,
});
/** The first account if it is missing. */
const account = z.string().optional();
const OnIntent = z.strictObject({ account, paymentIntent: z.string() });

interface Control {
  readonly takes: z.ZodType;
  run(sent: unknown): unknown;
}

function control<T>(takes: z.ZodType<T>, run: (sent: T) => unknown): Control {
  return { takes, run: (sent) => run(takes.parse(sent)) };
}

function controlsOf(twin: StripeTwin): Readonly<Record<string, Control>> {
  const faults: Fault[] = [];
  const of = (id: string | undefined): TwinAccount => {
    const found = id === undefined ? twin.accounts[0] : twin.accounts.find((one) => one.id === id);
    if (found === undefined) throw new Error(`the twin has no account ${id}`);
    return found;
  };
  const faultOf = (index: number): Fault => {
    const fault = faults[index];
    if (fault === undefined) throw new Error(`there is no fault ${index}`);
    return fault;
  };
  return {
    now: control(z.strictObject({}), () => twin.now()),
    moveClock: control(z.strictObject({ ms: z.number() }), ({ ms }) => twin.moveClock(ms)),
    fault: control(z.strictObject({ match: MatchSent, fault: FaultSent }), ({ match, fault }) => {
      return { fault: faults.push(twin.fault(match, fault)) - 1 };
    }),
    applied: control(z.strictObject({ fault: z.int() }), ({ fault }) => faultOf(fault).applied),
    release: control(z.strictObject({ fault: z.int() }), ({ fault }) => faultOf(fault).release()),
    deliverEvents: control(ModeSent, (mode) => twin.deliverEvents(mode)),
    deliver: control(
      z.strictObject({ account, event: z.string(), ...how }),
      async ({ account: id, event, ...mode }) => {
        const found = of(id).events.find((one) => one.id === event);
        if (found === undefined) throw new Error(`there is no event ${event}`);
        await of(id).deliver(found, mode);
      },
    ),
    events: control(z.strictObject({ account }), (sent) => of(sent.account).events),
    deliveries: control(z.strictObject({}), () => twin.deliveries),
    effects: control(z.strictObject({}), () => twin.effects()),
    unreversed: control(z.strictObject({ payment: z.string() }), ({ payment }) => twin.unreversed(payment)),
    addEndpoint: control(
      z.strictObject({ account, url: z.string(), secret: z.string().exactOptional() }),
      ({ account: id, url, secret }) => of(id).addEndpoint({ url, ...(secret !== undefined && { secrets: [secret] }) }),
    ),
    confirmationToken: control(z.strictObject({ account, paymentMethod: z.string() }), (sent) =>
      of(sent.account).confirmationToken(sent.paymentMethod),
    ),
    approve: control(OnIntent, (sent) => of(sent.account).approve(sent.paymentIntent)),
    fail: control(OnIntent, (sent) => of(sent.account).fail(sent.paymentIntent)),
    confirmAgain: control(OnIntent.extend({ paymentMethod: z.string() }), (sent) =>
      of(sent.account).confirmAgain(sent.paymentIntent, sent.paymentMethod),
    ),
    openDispute: control(
      OnIntent.extend({
        amount: z.int().exactOptional(),
        reason: z.string().exactOptional(),
        isInquiry: z.boolean().exactOptional(),
        prevented: z.enum(['resolution', 'block']).exactOptional(),
      }),
      ({ account: id, paymentIntent, ...dispute }) => of(id).openDispute(paymentIntent, dispute),
    ),
    reopenDispute: control(
      z.strictObject({ account, dispute: z.string(), status: z.enum(['needs_response', 'appeal_needs_response']) }),
      ({ account: id, dispute, status }) => of(id).reopenDispute(dispute, status),
    ),
    updateMethod: control(
      z.strictObject({
        account,
        method: z.string(),
        number: z.string().exactOptional(),
        expMonth: z.int().exactOptional(),
        expYear: z.int().exactOptional(),
      }),
      ({ account: id, method, ...update }) => of(id).updateMethod(method, update),
    ),
    endMandate: control(
      z.strictObject({ account, method: z.string(), type: z.enum(['multi_use', 'single_use']).exactOptional() }),
      ({ account: id, method, type }) => of(id).endMandate(method, type),
    ),
    decideDispute: control(
      z.strictObject({ account, dispute: z.string(), status: z.enum(['lost', 'won']) }),
      ({ account: id, dispute, status }) => of(id).decideDispute(dispute, status),
    ),
    completeRefund: control(z.strictObject({ account, refund: z.string() }), (sent) =>
      of(sent.account).completeRefund(sent.refund),
    ),
    failRefund: control(
      z.strictObject({ account, refund: z.string(), reason: z.string().optional() }),
      ({ account: id, refund, reason }) => of(id).failRefund(refund, reason),
    ),
  };
}

export interface ControlServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Serves the controls of the twin. 0 takes any free port. */
export async function serveControls(twin: StripeTwin, port: number): Promise<ControlServer> {
  const controls = controlsOf(twin);
  const answer = async (request: IncomingMessage): Promise<unknown> => {
    const name = (request.url ?? '/').slice(1);
    const found = Object.hasOwn(controls, name) ? controls[name] : undefined;
    if (name === '' || found === undefined) return { controls: Object.keys(controls) };
    const body = await bodyOf(request);
    return found.run(body === '' ? {} : JSON.parse(body));
  };
  const server = createServer((request, response) => {
    const reply = (status: number, body: unknown): unknown =>
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body ?? null));
    answer(request).then(
      (body) => reply(200, body),
      (error: unknown) => reply(400, { error: error instanceof Failure ? error.body : String(error) }),
    );
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the controls do not listen');
  return {
    url: `http://127.0.0.1:${address.port}`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

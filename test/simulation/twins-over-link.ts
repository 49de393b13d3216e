// The twins as a node's adapter calls them over a link: requests are lost, arrive late or twice, or get a response that
// is not Stripe's.
import type { HttpAnswer, HttpCall } from '../../src/processors/http-call.ts';
import type { FaultKind } from '../support/stripe-twin/faults.ts';
import { forever } from './link.ts';
import type { ReachedTwins } from './node.ts';
import { between, chance, type Random } from './random.ts';
import type { Twins } from './twins.ts';

const LOST: HttpAnswer = { kind: 'lost', detail: 'connection reset' };
const BAD_GATEWAY: HttpAnswer = { kind: 'answered', status: 502, headers: {}, body: '<html>502 Bad Gateway</html>' };
const RATE_LIMIT: HttpAnswer = {
  kind: 'answered',
  status: 429,
  headers: {},
  body: '{"error":{"type":"invalid_request_error","code":"rate_limit","message":"Request rate limit exceeded."}}',
};

/** A request at its arrival, and a response on its way back. */
type Arrival = (
  send: (fault?: FaultKind) => Promise<HttpAnswer & { readonly kind: 'answered' }>,
) => Promise<HttpAnswer>;

const rateLimited: Arrival = async () => RATE_LIMIT;
const BAD_ANSWERS: readonly Arrival[] = [
  (send) => send({ kind: 'server_error', effect: 'none' }),
  (send) => send({ kind: 'server_error', effect: 'done' }),
  (send) => send({ kind: 'hold', at: 'running' }),
  async () => BAD_GATEWAY,
  (send) => send().then(() => BAD_GATEWAY),
  rateLimited,
  (send) => send().then((answer) => ({ ...answer, body: answer.body.slice(0, answer.body.length / 2) })),
];
const ofAnother: Arrival = (send) =>
  send().then((answer) => ({ ...answer, body: answer.body.replaceAll(/"(pi|re)_\w+"/g, '"$1_other"') }));

/** A request that may move money is counted by its key. */
const mayMove = ({ method, path }: HttpCall): boolean =>
  method === 'POST' && path !== '/v1/payment_intents' && !/^\/v1\/payment_intents\/[^/]+$/.test(path);

export const callerOver =
  (twins: Twins): ReachedTwins['callerOver'] =>
  ({ timeline, delayedCalls, link, random, asked }, weather) =>
  (base) => {
    const send = (call: HttpCall): Promise<HttpAnswer> => {
      const { notSent, late, lateMs, twice, badAnswer } = weather();
      const key = call.headers['Idempotency-Key'];
      if (key !== undefined && mayMove(call)) asked(key, `${call.method} ${call.path}`);
      if (chance(random, notSent)) return Promise.resolve({ kind: 'not_sent', detail: 'connection refused' });
      const arrive = (fault?: FaultKind) => twins.answer(base, call, fault);
      const answered = chance(random, badAnswer) ? badAnswerTo(call, random) : (one: typeof arrive) => one();
      // What sends again has seen no answer; a call that a limit refused has one of Stripe: nothing was done.
      if (answered !== rateLimited && chance(random, twice))
        timeline.after(between(random, 1, 2_000), undefined, () => void arrive());
      if (chance(random, late)) {
        // A fence is proof, so that some requests arrive after everything is settled.
        if (chance(random, 0.5)) delayedCalls.holdForSteps(between(random, 1, 3), () => void arrive());
        else delayedCalls.hold(between(random, 1_000, lateMs), () => void arrive());
        return forever();
      }
      const lost = () => (chance(random, 0.5) ? forever() : LOST);
      return link.call<HttpAnswer>(() => answered(arrive), lost, lost);
    };
    return {
      call: (call, signal) =>
        new Promise((resolve) => {
          const end = (answer: HttpAnswer): void => {
            signal.removeEventListener('abort', onAbort);
            resolve(answer);
          };
          const onAbort = (): void => end({ kind: 'lost', detail: 'no answer before the deadline' });
          if (signal.aborted) return end({ kind: 'not_sent', detail: 'no answer before the deadline' });
          signal.addEventListener('abort', onAbort, { once: true });
          void send(call).then(end);
        }),
      close: () => undefined,
    };
  };

function badAnswerTo({ path }: HttpCall, random: Random): Arrival {
  // a preparation believes its first name: nobody knows another
  const possible = path === '/v1/payment_intents' ? BAD_ANSWERS : [...BAD_ANSWERS, ofAnother];
  return possible[between(random, 0, possible.length - 1)] ?? ofAnother;
}

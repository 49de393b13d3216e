// The sandbox as a node sees it over a link: calls are lost, arrive late or twice, or lose their answer.
import { setMaxListeners } from 'node:events';
import type { LookUp, Outcome, PaymentStanding, TakenBack, Unreachable } from '../../src/domain/payment/outcome.ts';
import type {
  Call,
  DisputeFound,
  DisputeQuestion,
  DisputeRequest,
  OperationRequest,
  Processor,
  StandingQuestion,
} from '../../src/processors/processor.ts';
import { StoreUnavailable } from '../../src/stores/store-unavailable.ts';
import { callOf } from '../support/call-of.ts';
import { forever, type Link } from './link.ts';
import { between, chance, type Random } from './random.ts';
import type { RefusedTokens } from './routes.ts';
import type { Timeline } from './timeline.ts';

export interface ProcessorWeather {
  /** The connection is refused before anything was sent. */
  readonly notSent: number;
  /** The call takes effect up to `lateMs` after it was sent. Until then the processor does not know of it. */
  readonly late: number;
  readonly lateMs: number;
  /** The call is delivered twice. */
  readonly twice: number;
  /** The response over HTTP is another one: a 500, a proxy's, half of it, one about another thing. */
  readonly badAnswer: number;
  /** The issuer refuses an authorization, softly or for good, by this connection alone. */
  readonly refused: number;
}

export const CALM_PROCESSOR: ProcessorWeather = { notSent: 0, late: 0, lateMs: 0, twice: 0, badAnswer: 0, refused: 0 };

/** Calls under way to the processor. Each arrives at its time, or when all are delivered at once. */
export class DelayedCalls {
  readonly #timeline: Timeline;
  readonly #pending = new Set<() => void>();
  /** Calls that arrive after a step of business time, by how many steps are left. */
  #steps: (() => void)[][] = [];

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
  }

  hold(ms: number, arrive: () => void): void {
    const once = (): void => {
      if (this.#pending.delete(once)) arrive();
    };
    this.#pending.add(once);
    this.#timeline.after(ms, undefined, once);
  }

  /** Holds a call until business time has taken so many steps. */
  holdForSteps(steps: number, arrive: () => void): void {
    for (let index = this.#steps.length; index < steps; index += 1) this.#steps.push([]);
    this.#steps[steps - 1]?.push(arrive);
  }

  /** Business time has taken a step. */
  step(): void {
    const [due = [], ...later] = this.#steps;
    this.#steps = later;
    for (const arrive of due) arrive();
  }

  deliverAll(): void {
    for (const arrive of [...this.#pending]) arrive();
  }
}

export interface ProcessorParts {
  readonly timeline: Timeline;
  readonly delayedCalls: DelayedCalls;
  readonly link: Link;
  /** The link to another connection than the first; left out where it is the only one. */
  readonly second?: Link;
  /** Left out where no issuer refuses by one connection alone. */
  readonly refused?: RefusedTokens;
  readonly random: Random;
  /** Called for everything that a node asks for, before the call is sent; `what`: in words. */
  readonly asked: (reference: string, what: string, connectionId?: string) => void;
}

/** `weather` is read at each call, so that a run can end in calm. */
export function processorOver(
  processor: Processor,
  { timeline, delayedCalls, link, second, refused, random, asked }: ProcessorParts,
  weather: () => ProcessorWeather,
): Processor {
  // A call that was sent goes on after its caller gave up, so it gets a signal that never aborts. One for each node: a
  // hung call keeps its listener for ever.
  const never = callOf();
  setMaxListeners(0, never.signal);
  const unending = ({ connection }: Call): Call => ({ ...never, connection });
  const linkTo = ({ connection }: Call): Link =>
    second === undefined || connection.connectionId === connection.processor ? link : second;
  const asIssued = (request: OperationRequest, { connection }: Call): OperationRequest => {
    const tokens = refused?.get(connection.connectionId);
    if (tokens === undefined || request.operation !== 'authorization' || !chance(random, weather().refused))
      return request;
    return { ...request, processorToken: chance(random, 0.6) ? tokens.soft : tokens.hard };
  };
  const hang = (): Promise<never> => forever(); // until the caller's deadline
  const send = async (effect: () => Promise<Outcome>, by: Link): Promise<Outcome> => {
    const { notSent, late, lateMs, twice } = weather();
    if (chance(random, notSent)) return { kind: 'not_sent', detail: 'connection refused' };
    if (chance(random, twice)) timeline.after(between(random, 1, 2_000), undefined, () => void effect());
    if (chance(random, late)) {
      delayedCalls.hold(between(random, 1_000, lateMs), () => void effect());
      return hang();
    }
    return by.call<Outcome>(effect, hang, () =>
      chance(random, 0.5) ? hang() : { kind: 'unknown', detail: 'connection reset' },
    );
  };
  const { dispute, lookUpDispute } = processor;
  return {
    name: processor.name,
    consistencyWindowMs: processor.consistencyWindowMs,
    capabilities: (...args) => processor.capabilities(...args),
    tokenize: (request, call) =>
      linkTo(call).call(
        () => processor.tokenize(request, call),
        () => Promise.reject(new StoreUnavailable('the processor is unavailable')),
        () => Promise.reject(new StoreUnavailable('the processor did not answer')),
      ),
    perform: (request, call) => {
      asked(request.reference, `the ${request.operation} of ${request.amount}`, call.connection.connectionId);
      const issued = asIssued(request, call);
      return send(() => processor.perform(issued, unending(call)), linkTo(call));
    },
    ...(dispute && {
      dispute: (request: DisputeRequest, call: Call) => {
        asked(request.reference, `an answer to the dispute ${request.disputeId}`);
        return send(() => dispute.call(processor, request, unending(call)), linkTo(call));
      },
    }),
    ...(lookUpDispute && {
      lookUpDispute: (question: DisputeQuestion, call: Call) =>
        linkTo(call).call<DisputeFound>(
          () => lookUpDispute.call(processor, question, unending(call)),
          () => ({ kind: 'unreachable', detail: 'connection refused' }),
          () => ({ kind: 'unreachable', detail: 'connection reset' }),
        ),
    }),
    ...(processor.standing !== undefined && {
      standing: (question: StandingQuestion, call: Call) =>
        linkTo(call).call<PaymentStanding | Unreachable>(
          async () =>
            processor.standing?.(question, unending(call)) ?? { kind: 'unreachable', detail: 'it shows none' },
          () => ({ kind: 'unreachable', detail: 'connection refused' }),
          () => ({ kind: 'unreachable', detail: 'connection reset' }),
        ),
    }),
    lookUp: (request, call) =>
      linkTo(call).call(
        () => processor.lookUp(request, unending(call)),
        () => ({ kind: 'unreachable' as const, detail: 'connection refused' }),
        () => ({ kind: 'unreachable' as const, detail: 'connection reset' }),
      ),
    ...(processor.fence !== undefined && {
      fence: (request: OperationRequest, call: Call) =>
        linkTo(call).call<LookUp | TakenBack>(
          async () => processor.fence?.(request, unending(call)) ?? { kind: 'unreachable', detail: 'it has no fence' },
          () => ({ kind: 'unreachable', detail: 'connection refused' }),
          () => ({ kind: 'unreachable', detail: 'connection reset' }),
        ),
    }),
    notifications: (...args) => processor.notifications(...args),
    reread: (raw) => processor.reread(raw),
  };
}

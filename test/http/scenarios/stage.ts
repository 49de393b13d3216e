// The stage of scenarios: the whole service on a real port, its sandbox notifying it over HTTP, and a clock that is
// moved.
import { z } from 'zod';
import { defaultCircuit } from '../../../src/commands/limits/circuit.ts';
import { defaultTimings } from '../../../src/commands/payment-timings.ts';
import { type NotificationKey, notifications } from '../../../src/projections/models/notifications.ts';
import { type PaymentKey, payments } from '../../../src/projections/models/payments.ts';
import type { Query } from '../../../src/stores/read-models.ts';
import type { World } from '../../../src/world.ts';
import { type HttpService, serveHttp } from '../../support/http-service.ts';
import type { MovableWorld } from '../../support/test-world.ts';
import { Silence } from './silence.ts';

/** A notification that the sandbox sent: `authorization.succeeded 202`. */
type Delivery = string;

export interface Stage {
  readonly http: HttpService;
  /** The requests and answers up to now. */
  readonly deliveries: readonly Delivery[];
  /** Moves business time by ms, and starts the work that falls due by then: in the service and in the sandbox. */
  advance(ms: number): void;
  /** Deadlines of calls are over after this, and not before; undefined: as soon as the sandbox is silent. */
  holdDeadlines(until: (() => Promise<boolean>) | undefined): void;
  /** True if nothing is due or being handled now. */
  isQuiet(): Promise<boolean>;
  close(): Promise<void>;
}

/**
 * How long a call to the processor may take, ms; here it is over when the sandbox is silent (Silence), and nothing else
 * waits for so long.
 */
const ANSWER_WITHIN_MS = 400;
/** The first look-up comes 30 s after the request, as with the service's own timings. */
const TIMINGS = { ...defaultTimings, answerWithinMs: ANSWER_WITHIN_MS, sendWithinMs: 30_000 - ANSWER_WITHIN_MS };

const Sent = z.looseObject({ type: z.string() });

export async function openStage(): Promise<Stage> {
  const deliveries: Delivery[] = [];
  const sleepers = new Set<AbortController>();
  const silence = new Silence(ANSWER_WITHIN_MS);
  const http = await serveHttp({
    timings: TIMINGS,
    deadlines: silence.deadlines,
    circuit: { ...defaultCircuit, failedShare: 2 }, // never opens: that so much goes wrong is the point
    sandboxWorld: (world) => silence.sandboxWorld(wakeable(recording(world, deliveries), sleepers)),
    through: (stores) => ({ ...stores, world: silence.serviceWorld(stores.world, stores.sandbox) }),
  });
  const ending = new AbortController();
  const delivering = http.stores.sandbox.run(`http://127.0.0.1:${http.port}`, ending.signal);
  return {
    http,
    deliveries,
    advance(ms) {
      http.world.advance(ms);
      for (const sleeper of sleepers) sleeper.abort();
      http.service.lookAtOnce();
    },
    holdDeadlines(until) {
      silence.behind = until;
    },
    isQuiet: () => isQuiet(http),
    async close() {
      ending.abort();
      await delivering;
      await http.stop();
    },
  };
}

/** A sleeper in this world wakes when the clock is moved: the delivery of notifications. */
const wakeable = (world: World, sleepers: Set<AbortController>): World => ({
  ...world,
  async sleep(ms, signal) {
    const sleeper = new AbortController();
    sleepers.add(sleeper);
    try {
      await world.sleep(ms, AbortSignal.any([signal, sleeper.signal]));
    } catch (fault) {
      if (signal.aborted) throw fault;
    } finally {
      sleepers.delete(sleeper);
    }
  },
});

const recording = (world: MovableWorld, deliveries: Delivery[]): World => ({
  ...world,
  async fetch(url, init) {
    const response = await world.fetch(url, init);
    deliveries.push(`${Sent.parse(JSON.parse(String(init.body))).type} ${response.status}`);
    return response;
  },
});

/** Payments whose time has come, and notifications that are not handled, keep it busy. */
async function isQuiet({ service, world }: HttpService): Promise<boolean> {
  const due: Query<PaymentKey>['where'] = { dueAt: { to: world.now() } };
  const expired: Query<PaymentKey>['where'] = { expiresAt: { to: world.now() } };
  const disputed: Query<PaymentKey>['where'] = { disputeDueAt: { to: world.now() } };
  const unhandled: Query<NotificationKey>['where'] = { receivedAt: { from: 0 } };
  const found = await Promise.all([
    service.readModels.find(payments, { where: due, limit: 1 }),
    service.readModels.find(payments, { where: expired, limit: 1 }),
    service.readModels.find(payments, { where: disputed, limit: 1 }),
    service.readModels.find(notifications, { where: unhandled, limit: 1 }),
  ]);
  return found.every(({ length }) => length === 0);
}

// The meters in prom-client, and their text. The only file that knows it: it is loaded when a metrics port is set, and
// not before.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { StoreMeters } from '../stores/store-meters.ts';
import type {
  AppendResult,
  LostLines,
  Meters,
  ProcessorOperation,
  RefusedBecause,
  State,
  StoreName,
} from './meters.ts';

export interface Prometheus extends Meters {
  /** The source of the present state for each scrape. */
  showState(state: () => State): void;
  /** Shows the lost lines of the log. */
  showLostLines(lost: () => LostLines): void;
  /** Of `text`. */
  readonly contentType: string;
  /** All metrics in Prometheus' text format. */
  text(): Promise<string>;
  /**
   * The metrics as JSON, for the supervisor of several workers: each metric says how it is combined with those of
   * others.
   */
  values(): Promise<readonly unknown[]>;
}

/**
 * How a gauge of several workers is put together: what each has a share of is summed, what all see is the worst that
 * any sees.
 */
type WorkersGauge = 'sum' | 'min' | 'max';

/** Upper bounds, in seconds. */
const REQUEST_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const STORE_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** 25: where an outcome counts as unknown. */
const PROCESSOR_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25];

const STORES: readonly StoreName[] = ['events', 'read_models'];
const APPEND_RESULTS: readonly AppendResult[] = ['written', 'conflict', 'unavailable', 'unknown', 'failed'];
const REFUSED: readonly RefusedBecause[] = ['limit', 'slow', 'malformed'];
const NOTHING: State = {
  ready: false,
  answering: new Map(),
  parked: new Map(),
  notMoving: new Map(),
  lagSeconds: new Map(),
  paymentsUnknown: undefined,
  notificationsParked: undefined,
  paymentsNotConserved: undefined,
};

const seconds = (ms: number): number => ms / 1_000;

export interface Build {
  readonly version: string;
  /** Of Node. */
  readonly node: string;
  /** Names of the limits against card testing: a limit without refusals counts as 0 from the start. */
  readonly limits: readonly string[];
}

export const openPrometheus = (build: Build): Prometheus => new PrometheusMeters(build);

class PrometheusMeters implements Prometheus {
  readonly #registry = new Registry();
  readonly #registers = [this.#registry];
  readonly #availability = new Map<StoreName, boolean>();
  readonly #categories = new Set<string>();
  #state = (): State => NOTHING;

  constructor({ version, node, limits }: Build) {
    collectDefaultMetrics({ register: this.#registry });
    this.#gauge(
      'counterfoil_build_info',
      'Always 1; its labels describe the running version.',
      ['version', 'node'],
      'max',
    ).set({ version, node }, 1);
    for (const store of STORES) {
      for (const counter of [this.#retries, this.#unknownWrites, this.#drops]) counter.inc({ store }, 0);
    }
    for (const limit of limits) this.#limited.inc({ limit }, 0);
    for (const reason of REFUSED) this.#refused.inc({ reason }, 0);
    this.#showStates();
  }

  readonly contentType = this.#registry.contentType;
  readonly text = (): Promise<string> => this.#registry.metrics();
  readonly values = (): Promise<readonly unknown[]> => this.#registry.getMetricsAsJSON();
  showState(state: () => State): void {
    this.#state = state;
  }

  showLostLines(lost: () => LostLines): void {
    const lines = this.#counter(
      'counterfoil_log_lines_lost_total',
      'Lines that are missing from the log.',
      ['reason'],
      () => {
        const { dropped, repeated } = lost();
        lines.reset();
        lines.inc({ reason: 'dropped' }, dropped);
        lines.inc({ reason: 'repeated' }, repeated);
      },
    );
  }

  readonly #requests = this.#counter('counterfoil_http_requests_total', 'Requests that got a response.', [
    'route',
    'method',
    'status',
  ]);
  readonly #requestSeconds = this.#histogram(
    'counterfoil_http_request_duration_seconds',
    'Time from the head of a request to its response.',
    ['route', 'method', 'status'],
    REQUEST_BUCKETS,
  );
  readonly #inFlight = this.#gauge('counterfoil_http_requests_in_flight', 'Requests in progress.', [], 'sum');
  readonly #refused = this.#counter(
    'counterfoil_http_connections_refused_total',
    'Connections that never became a request.',
    ['reason'],
  );

  requestStarted(): void {
    this.#inFlight.inc();
  }

  requestEnded(route: string, method: string, status: number, ms: number): void {
    const labels = { route, method, status };
    this.#inFlight.dec();
    this.#requests.inc(labels);
    this.#requestSeconds.observe(labels, seconds(ms));
  }

  connectionRefused(reason: RefusedBecause): void {
    this.#refused.inc({ reason });
  }

  readonly #appends = this.#counter('counterfoil_appends_total', 'Appends to streams, by outcome.', [
    'category',
    'result',
  ]);
  readonly #appendSeconds = this.#histogram(
    'counterfoil_append_duration_seconds',
    'Appends to streams.',
    ['result'],
    STORE_BUCKETS,
  );
  readonly #decisions = this.#counter('counterfoil_transact_retries_total', 'Decisions made again on newer events.', [
    'category',
  ]);
  readonly #exhausted = this.#counter(
    'counterfoil_transact_exhausted_total',
    'Commands that lost every race and got a 409.',
    ['category'],
  );

  appended(category: string, result: AppendResult, ms: number): void {
    this.#meet(category);
    this.#appends.inc({ category, result });
    this.#appendSeconds.observe({ result }, seconds(ms));
  }

  decidedAgain(category: string): void {
    this.#decisions.inc({ category });
  }

  gaveUp(category: string): void {
    this.#exhausted.inc({ category });
  }

  /** Creates the series at 0 before its category's first append, so that a rate can show the first increase. */
  #meet(category: string): void {
    if (this.#categories.has(category)) return;
    this.#categories.add(category);
    for (const result of APPEND_RESULTS) this.#appends.inc({ category, result }, 0);
    for (const counter of [this.#decisions, this.#exhausted]) counter.inc({ category }, 0);
  }

  readonly #calls = this.#histogram(
    'counterfoil_processor_call_duration_seconds',
    'Calls to a processor, up to their deadline, by outcome.',
    ['processor', 'operation', 'outcome'],
    PROCESSOR_BUCKETS,
  );
  readonly #unknown = this.#counter(
    'counterfoil_processor_unknown_outcomes_total',
    'Calls whose outcome is not known yet.',
    ['processor', 'operation'],
  );

  processorCalled(processor: string, operation: ProcessorOperation, outcome: string, ms: number): void {
    this.#calls.observe({ processor, operation, outcome }, seconds(ms));
    this.#unknown.inc({ processor, operation }, outcome === 'unknown' || outcome === 'unreachable' ? 1 : 0);
  }

  readonly #circuit = this.#gauge(
    'counterfoil_processor_circuit_open',
    '1 while new operations at the processor are answered with 503.',
    ['processor'],
    'max',
  );
  readonly #openings = this.#counter(
    'counterfoil_processor_circuit_opened_total',
    'How often the circuit of a processor has opened.',
    ['processor'],
  );

  circuit(processor: string, isOpen: boolean): void {
    this.#circuit.set({ processor }, isOpen ? 1 : 0);
    this.#openings.inc({ processor }, isOpen ? 1 : 0);
  }

  readonly #limited = this.#counter(
    'counterfoil_card_testing_refusals_total',
    'Requests refused by a limit against card testing.',
    ['limit'],
  );

  limited(limit: string): void {
    this.#limited.inc({ limit });
  }

  readonly #left = this.#counter(
    'counterfoil_left_after_days_total',
    'Requests, deliveries and sign-in sessions that left the read models after their days.',
    ['kind'],
  );

  left(kind: string, count: number): void {
    this.#left.inc({ kind }, count);
  }

  readonly #projected = this.#counter(
    'counterfoil_projection_events_total',
    'Projected events of other nodes and events left over.',
    ['projection'],
  );
  readonly #batches = this.#histogram(
    'counterfoil_projection_batch_duration_seconds',
    'Time to project one batch of events.',
    ['projection'],
    STORE_BUCKETS,
  );

  projected(projection: string, events: number, ms: number): void {
    this.#projected.inc({ projection }, events);
    this.#batches.observe({ projection }, seconds(ms));
  }

  readonly #retries = this.#counter('counterfoil_store_retries_total', 'Calls that were sent to a store again.', [
    'store',
  ]);
  readonly #unknownWrites = this.#counter(
    'counterfoil_store_unknown_outcomes_total',
    'Writes without a response, which are retried.',
    ['store'],
  );
  readonly #drops = this.#counter(
    'counterfoil_store_drops_total',
    'Lost subscriptions and connections that were resumed or opened again.',
    ['store'],
  );

  store(name: StoreName): StoreMeters {
    const labels = { store: name };
    return {
      retried: () => this.#retries.inc(labels),
      outcomeUnknown: () => this.#unknownWrites.inc(labels),
      dropped: () => this.#drops.inc(labels),
      available: (isAvailable) => void this.#availability.set(name, isAvailable),
    };
  }

  /** Gauges of the present state. */
  #showStates(): void {
    const ready = this.#gauge(
      'counterfoil_ready',
      '1 if this node accepts requests; /health/ready gives the reason if not.',
      [],
      'min',
      () => {
        ready.set(this.#state().ready ? 1 : 0);
      },
    );
    const stores = this.#gauge('counterfoil_store_available', '1 if the store responds.', ['store'], 'min', () => {
      for (const store of STORES) {
        const known = [this.#availability.get(store), this.#state().answering.get(store)].filter(
          (one) => one !== undefined,
        );
        if (known.length > 0) stores.set({ store }, known.includes(false) ? 0 : 1);
      }
    });
    this.#each(
      'counterfoil_projection_parked_streams',
      'Streams that a projection has parked; of the log, the broken streams; of limits, those that will lose events.',
      'projection',
      ({ parked }) => parked,
    );
    this.#each(
      'counterfoil_not_moving_events',
      'Events that are not projected because a read model does not move, or an earlier one of their stream cannot be read.',
      'what',
      ({ notMoving }) => notMoving,
    );
    this.#each(
      'counterfoil_projection_lag_seconds',
      'Age of the oldest event that is not projected.',
      'projection',
      ({ lagSeconds }) => lagSeconds,
    );
    this.#known(
      'counterfoil_payments_unknown',
      'Payments with an unknown outcome, up to 1000.',
      ({ paymentsUnknown }) => paymentsUnknown,
    );
    this.#known(
      'counterfoil_payments_not_conserved',
      'Payments with more captured than authorized, or refunded than captured, up to 1000.',
      ({ paymentsNotConserved }) => paymentsNotConserved,
    );
    this.#known(
      'counterfoil_notifications_parked',
      'Notifications that are parked, up to 1000.',
      ({ notificationsParked }) => notificationsParked,
    );
  }

  /** A gauge of a figure of the state for each value of a label. */
  #each(name: string, help: string, label: string, of: (state: State) => ReadonlyMap<string, number>): void {
    const gauge = this.#gauge(name, help, [label], 'max', () => {
      gauge.reset();
      for (const [value, figure] of of(this.#state())) gauge.set({ [label]: value }, figure);
    });
  }

  /** A gauge of a figure of the state that keeps its value while the figure is unknown. */
  #known(name: string, help: string, of: (state: State) => number | undefined): void {
    const gauge = this.#gauge(name, help, [], 'max', () => {
      const figure = of(this.#state());
      if (figure !== undefined) gauge.set(figure);
    });
  }

  #counter<L extends string>(name: string, help: string, labelNames: readonly L[], collect?: () => void): Counter<L> {
    return new Counter({
      name,
      help,
      labelNames,
      registers: this.#registers,
      ...(collect !== undefined && { collect }),
    });
  }

  #gauge<L extends string>(
    name: string,
    help: string,
    labelNames: readonly L[],
    aggregator: WorkersGauge,
    collect?: () => void,
  ): Gauge<L> {
    return new Gauge({
      name,
      help,
      labelNames,
      aggregator,
      registers: this.#registers,
      ...(collect !== undefined && { collect }),
    });
  }

  #histogram<L extends string>(name: string, help: string, labelNames: readonly L[], buckets: number[]): Histogram<L> {
    return new Histogram({ name, help, labelNames, buckets, registers: this.#registers });
  }
}

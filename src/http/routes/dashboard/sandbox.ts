// The sandbox of the account for the dashboard: its cards, faults, clock, ledger, and the ledger against the payments.
// Test mode only.
import { z } from 'zod';
import type { Rejection } from '../../../domain/decider.ts';
import type { ClockMover } from '../../../journal/business-clock.ts';
import type { ActingUser } from '../../../journal/contexts.ts';
import type { OwnComparison } from '../../../queries/ledger/compare-own.ts';
import { formatTime } from '../../../world.ts';
import { Instant, SumAnswer } from '../../answers/shapes.ts';
import { passwordNeeded, refuse } from '../../errors.ts';
import { CursorText, listed, pageSizeUpTo } from '../../list.ts';
import { aboutStore, forRoles, found, notFound, type Route, route } from '../../route.ts';
import { type KnownConnections, LedgerPlace, type SandboxOf, SandboxQuery, Scenario, sandboxOf } from '../sandbox.ts';

const count = z.int().min(0);
const amount = z.int().min(0);

const Cards = z.strictObject({ data: z.array(Scenario) }).meta({ id: 'DashboardSandboxCards' });
const Further = z
  .strictObject({ data: z.array(z.strictObject({ id: z.string(), name: z.string() })).readonly() })
  .meta({ id: 'DashboardSandboxConnections' });
const Clock = z
  .strictObject({
    /** Business time. */
    now: Instant,
    /** How far it is ahead of the machine's clock, ms. */
    offsetMs: count,
  })
  .meta({ id: 'DashboardSandboxClock' });
const Line = z.strictObject({
  at: Instant,
  operation: z.string(),
  outcome: z.string(),
  amount,
  currencyCode: z.string(),
  paymentId: z.string(),
  reference: z.string(),
  processorTransactionId: z.string().optional(),
});
const LedgerPage = z
  .strictObject({ data: z.array(Line).readonly(), nextCursor: z.string().optional() })
  .meta({ id: 'DashboardSandboxLedger' });
const Diff = z
  .strictObject({
    equal: z.boolean(),
    payments: count,
    lines: count,
    /** Attempts that are not settled yet, and were not compared. */
    open: count,
    differences: count,
    /** The first of them. */
    shown: z.array(z.strictObject({ paymentId: z.string(), words: z.string() })).readonly(),
    totals: z
      .array(
        z.strictObject({ currencyCode: z.string(), authorized: SumAnswer, captured: SumAnswer, refunded: SumAnswer }),
      )
      .readonly(),
    /** Money at the sandbox that is in no total and that only an operator closes: not a difference. */
    held: z.array(z.strictObject({ currencyCode: z.string(), payments: count, amount: SumAnswer })).readonly(),
    tookMs: count,
  })
  .meta({ id: 'DashboardSandboxDiff' });

const FaultKinds = z
  .strictObject({
    operations: z.array(z.string()).readonly(),
    phases: z.array(z.string()).readonly(),
    faults: z
      .array(z.strictObject({ name: z.string(), phases: z.array(z.string()).readonly(), does: z.string() }))
      .readonly(),
  })
  .meta({ id: 'DashboardSandboxFaultKinds' });
const Rule = z.strictObject({
  match: z.strictObject({
    operation: z.string(),
    /** Minor units. */
    amount: count.exactOptional(),
    nth: count.exactOptional(),
    card: z.string().exactOptional(),
    chance: z.number().exactOptional(),
  }),
  do: z.strictObject({
    phase: z.string().exactOptional(),
    fault: z.union([z.string(), z.number()]).exactOptional(),
    times: count.exactOptional(),
    delayMs: count.exactOptional(),
    duplicate: z.union([z.boolean(), z.number()]).exactOptional(),
    drop: z.union([z.boolean(), z.number()]).exactOptional(),
    reorder: z.boolean().exactOptional(),
  }),
});
/** The shape alone: whether it is a plan is the sandbox's word. */
const FaultPlan = z
  .strictObject({ seed: count.default(0), rules: z.array(Rule).readonly() })
  .meta({ id: 'DashboardSandboxFaultPlan' });
const Faults = z
  .strictObject({
    seed: count,
    rules: z.array(Rule).readonly(),
    /** For each rule: the calls that it matched, the calls to which it was applied, and whether it applies to more. */
    counts: z.array(z.strictObject({ matched: count, applied: count, isUsedUp: z.boolean() })).readonly(),
  })
  .meta({ id: 'DashboardSandboxFaults' });
type FaultReportInput = z.input<typeof Faults>;

interface LedgerRow {
  readonly reference: string;
  readonly paymentId: string;
  readonly operation: string;
  /** Minor units. */
  readonly amount: number;
  readonly currencyCode: string;
  readonly processorTransactionId?: string;
  readonly outcome: string;
  /** ms */
  readonly at: number;
}

/** The sandbox as a developer works with it in the dashboard. */
export interface DashboardSandbox {
  /** The account's connections to further sandboxes, the disabled ones too; the oldest first. */
  readonly further: (accountId: string) => Promise<readonly { readonly id: string; readonly name: string }[]>;
  readonly faultKinds: () => z.input<typeof FaultKinds>;
  readonly faults: (of: SandboxOf) => Promise<FaultReportInput>;
  /** Replaces them, counts included, as an act of the user. */
  readonly setFaults: (
    of: SandboxOf,
    plan: z.output<typeof FaultPlan>,
    by: ActingUser,
  ) => Promise<
    | { readonly kind: 'set'; readonly report: FaultReportInput }
    | { readonly kind: 'invalid'; readonly problems: readonly string[] }
  >;
  readonly scenarios: () => z.input<typeof Scenario>[];
  readonly ledgerOf: (
    of: SandboxOf,
    limit: number,
    after?: number,
  ) => Promise<{ readonly lines: readonly LedgerRow[]; readonly next?: number }>;
  readonly clock: {
    readonly now: () => { readonly now: number; readonly offsetMs: number };
    /** By ms. Resolves when every running process has the new time. */
    readonly advance: (byMs: number, by: ClockMover) => Promise<Rejection | undefined>;
  };
  readonly compare: (accountId: string, limit: number) => Promise<OwnComparison>;
}

const PAGE_LINES = 50;
const MOST_LINES = 200;
const SHOWN = 100;
/** A year at a time; the clock itself allows ten in all. */
const MOST_MS = 366 * 86_400_000;
const common = { tag: 'Sandbox', method: 'GET', scope: forRoles('owner', 'developer') } as const;

export const dashboardSandboxRoutes = (bench: DashboardSandbox, parts: KnownConnections): readonly Route[] => [
  route({
    ...common,
    path: '/dashboard/api/sandbox/connections',
    summary: 'List the connections of the account to further sandboxes, oldest first',
    request: z.object({}),
    answer: Further,
    handle: async (_request, { caller: { accountId } }) => found({ data: await bench.further(accountId) }),
  }),
  route({
    ...common,
    path: '/dashboard/api/sandbox/cards',
    summary: 'List every test card and every other method of payment, with its behaviour',
    request: z.object({}),
    answer: Cards,
    handle: () => found({ data: bench.scenarios() }),
  }),
  ...faultRoutes(bench, parts),
  ...clockRoutes(bench),
  ledger(bench, parts),
  route({
    ...common,
    path: '/dashboard/api/sandbox/diff',
    summary: "Compare the sandbox's ledger with the payments of the account, attempt by attempt and in the sums",
    request: z.object({}),
    answer: Diff,
    async handle(_request, { caller: { accountId } }) {
      const { differences, totals, held, ...rest } = await bench.compare(accountId, SHOWN);
      const sums = [...totals].map(([currencyCode, moved]) => ({ currencyCode, ...moved }));
      const kept = [...held].map(([currencyCode, of]) => ({ currencyCode, ...of }));
      return found({ ...rest, differences, equal: differences === 0, totals: sums, held: kept });
    },
  }),
];

const faultRoutes = (
  { faultKinds, faults, setFaults }: DashboardSandbox,
  parts: KnownConnections,
): readonly Route[] => [
  route({
    ...common,
    path: '/dashboard/api/sandbox/fault-kinds',
    summary: 'List the faults, the phases of a call in which they can occur, and what the caller then knows',
    request: z.object({}),
    answer: FaultKinds,
    handle: () => found(faultKinds()),
  }),
  route({
    ...common,
    path: '/dashboard/api/sandbox/faults',
    summary: 'Read the fault rules of the account, and how often each was applied',
    request: z.object({ query: SandboxQuery }),
    answer: Faults,
    async handle({ query }, { caller: { accountId } }) {
      const of = await sandboxOf(parts, { accountId, ...query });
      return of === undefined ? notFound() : found(await faults(of));
    },
  }),
  route({
    ...common,
    method: 'PUT',
    path: '/dashboard/api/sandbox/faults',
    summary: 'Replace the fault rules of the account; an empty list removes all rules',
    request: z.object({ query: SandboxQuery, body: FaultPlan }),
    answer: Faults,
    cardAt: 'rules.*.match.card',
    async handle({ query, body }, { caller }) {
      const of = await sandboxOf(parts, { accountId: caller.accountId, ...query });
      if (of === undefined) return notFound();
      const set = await setFaults(of, body, caller);
      return set.kind === 'set' ? found(set.report) : refuse('RequestValidationError', set.problems.join(' '));
    },
  }),
];

/** A move over this, ms, asks for the password again: what falls due in so long a time happens at once, for good. */
const UNASKED_MS = 90 * 86_400_000;

function clockRoutes({ clock }: DashboardSandbox): readonly Route[] {
  const aboutClock = { ...common, scope: aboutStore(common.scope) } as const;
  const clockAnswer = (): z.input<typeof Clock> => {
    const { now, offsetMs } = clock.now();
    return { now: formatTime(now), offsetMs };
  };
  return [
    route({
      ...aboutClock,
      path: '/dashboard/api/sandbox/clock',
      summary: 'Read the business time of the service and its sandbox',
      request: z.object({}),
      answer: Clock,
      handle: () => found(clockAnswer()),
    }),
    route({
      ...aboutClock,
      method: 'POST',
      path: '/dashboard/api/sandbox/clock/advance',
      summary: 'Move business time forward permanently, for every user of this store; work that becomes due is done',
      request: z.object({ body: z.strictObject({ byMs: z.int().min(1).max(MOST_MS) }) }),
      answer: Clock,
      errors: ['Conflict', 'PasswordNeeded'],
      async handle({ body: { byMs } }, { caller, user }) {
        if (byMs > UNASKED_MS && user?.isConfirmed !== true) return passwordNeeded();
        return (await clock.advance(byMs, caller)) ?? found(clockAnswer());
      },
    }),
  ];
}

const ledger = ({ ledgerOf }: DashboardSandbox, parts: KnownConnections): Route =>
  route({
    ...common,
    path: '/dashboard/api/sandbox/ledger',
    summary: "Read the account's part of the sandbox's own books, oldest first",
    request: z.object({
      query: SandboxQuery.extend({ limit: pageSizeUpTo(MOST_LINES), cursor: CursorText.optional() }),
    }),
    answer: LedgerPage,
    errors: ['InvalidCursor'],
    async handle({ query: { limit = PAGE_LINES, cursor, connectionId } }, { caller: { accountId } }) {
      const of = await sandboxOf(parts, { accountId, connectionId });
      if (of === undefined) return notFound();
      return listed(
        { limit, cursor },
        {
          list: 'dashboard-sandbox-ledger',
          accountId,
          filters: { connectionId },
          place: LedgerPlace,
          async read(size, place) {
            const { lines: rows, next } = await ledgerOf(of, size, place?.after);
            return { rows, next: next === undefined ? undefined : { after: next } };
          },
          itemsOf: (lines) =>
            lines.map(({ at, operation, outcome, amount: moved, ...line }) => {
              const { currencyCode, paymentId, reference, processorTransactionId } = line;
              const names = { paymentId, reference, processorTransactionId };
              return { at: formatTime(at), operation, outcome, amount: moved, currencyCode, ...names };
            }),
        },
      );
    },
  });

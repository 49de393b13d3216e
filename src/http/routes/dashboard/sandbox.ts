// The sandbox of the account for the dashboard: its cards, faults, clock, ledger, and the ledger against the payments.
// Test mode only.
import { z } from 'zod';
import type { Rejection } from '../../../domain/decider.ts';
import type { ClockMover } from '../../../journal/business-clock.ts';
import type { OwnComparison } from '../../../queries/ledger/compare-own.ts';
import { formatTime } from '../../../world.ts';
import { SumAnswer } from '../../answers/shapes.ts';
import { bindingOf, CursorText, readCursor, writeCursor } from '../../cursor.ts';
import { passwordNeeded } from '../../errors.ts';
import { aboutStore, forRoles, found, notFound, type Route, route } from '../../route.ts';
import { pageSizeUpTo } from '../payment-filter.ts';
import { Scenario } from '../sandbox.ts';
import { type SandboxFaults, type SandboxOf, SandboxQuery, sandboxFaultRoutes, sandboxOf } from './sandbox-faults.ts';

const time = z.iso.datetime({ precision: 3 });
const count = z.int().min(0);
const amount = z.int().min(0);

const Cards = z.strictObject({ data: z.array(Scenario) }).meta({ id: 'DashboardSandboxCards' });
const Further = z
  .strictObject({ data: z.array(z.strictObject({ id: z.string(), name: z.string() })).readonly() })
  .meta({ id: 'DashboardSandboxConnections' });
const Clock = z
  .strictObject({
    /** Business time. */
    now: time,
    /** How far it is ahead of the machine's clock, ms. */
    offsetMs: count,
  })
  .meta({ id: 'DashboardSandboxClock' });
const Line = z.strictObject({
  at: time,
  operation: z.string(),
  outcome: z.string(),
  amount,
  currencyCode: z.string(),
  paymentId: z.string(),
  reference: z.string(),
  processorTransactionId: z.string().nullable(),
});
const LedgerPage = z
  .strictObject({ data: z.array(Line).readonly(), nextCursor: z.string().nullable() })
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
export interface DashboardSandbox extends SandboxFaults {
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
const Place = z.strictObject({ after: z.int().min(0) });

const common = { tag: 'Sandbox', scope: forRoles('owner', 'developer') } as const;

export const sandboxRoutes = (bench: DashboardSandbox): readonly Route[] => [
  route({
    ...common,
    method: 'GET',
    path: '/dashboard/api/sandbox/connections',
    summary: 'List the connections of the account to further sandboxes, oldest first',
    request: z.object({}),
    answer: Further,
    handle: async (_request, { caller: { accountId } }) => found({ data: await bench.further(accountId) }),
  }),
  route({
    ...common,
    method: 'GET',
    path: '/dashboard/api/sandbox/cards',
    summary: 'List every test card and every other method of payment, with its behaviour',
    request: z.object({}),
    answer: Cards,
    handle: () => found({ data: bench.scenarios() }),
  }),
  ...sandboxFaultRoutes(bench),
  ...clockRoutes(bench),
  ledger(bench),
  route({
    ...common,
    method: 'GET',
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
      method: 'GET',
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

const ledger = ({ ledgerOf, further }: DashboardSandbox): Route =>
  route({
    ...common,
    method: 'GET',
    path: '/dashboard/api/sandbox/ledger',
    summary: "Read the account's part of the sandbox's own books, oldest first",
    request: z.object({
      query: SandboxQuery.extend({ limit: pageSizeUpTo(MOST_LINES), cursor: CursorText.optional() }),
    }),
    answer: LedgerPage,
    errors: ['InvalidCursor'],
    async handle({ query: { limit = PAGE_LINES, cursor, connectionId } }, { caller: { accountId } }) {
      const of = await sandboxOf({ further }, accountId, { connectionId });
      if (of === undefined) return notFound();
      const binding = bindingOf('dashboard-sandbox-ledger', accountId, { connectionId });
      const from = cursor === undefined ? undefined : readCursor(cursor, binding, Place);
      if (from !== undefined && 'kind' in from) return from;
      const { lines, next } = await ledgerOf(of, limit, from?.place.after);
      return found({
        data: lines.map(lineAnswer),
        nextCursor: next === undefined ? null : writeCursor(binding, { after: next }),
      });
    },
  });

const lineAnswer = ({ at, operation, outcome, amount: moved, ...line }: LedgerRow): z.input<typeof Line> => {
  const { currencyCode, paymentId, reference, processorTransactionId } = line;
  const names = { paymentId, reference, processorTransactionId: processorTransactionId ?? null };
  return { at: formatTime(at), operation, outcome, amount: moved, currencyCode, ...names };
};

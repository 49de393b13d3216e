// /sandbox: the sandbox processor's books, its cards and its faults; mounted in test mode only (contract §§2, 10).
import { z } from 'zod';
import type { AccountConnections } from '../../commands/connections/connections.ts';
import { Amount } from '../../commands/fields/amount.ts';
import { PaymentMethodType } from '../../domain/payment-method.ts';
import { formatTime } from '../../world.ts';
import { Instant } from '../answers/shapes.ts';
import { refuse } from '../errors.ts';
import { CursorText, listed, pageSizeUpTo } from '../list.ts';
import { found, notFound, type Route, route } from '../route.ts';

const LedgerLine = z.strictObject({
  reference: z.string(),
  operation: z.string(),
  amount: Amount,
  currencyCode: z.string(),
  outcome: z.string(),
  capture: z.string().optional().meta({
    description: 'Of an authorization that took the money: `succeeded`, or `declined` once it was taken back.',
  }),
  at: Instant,
});
const Ledger = z
  .strictObject({ data: z.array(LedgerLine), nextCursor: z.string().optional() })
  .meta({ id: 'SandboxLedger' });
/** A row of the table: a card, or another method of payment. */
export const Scenario = z.strictObject({
  id: z.string(),
  numbers: z.array(z.string()).min(1).optional(),
  paymentMethodType: PaymentMethodType.optional(),
  ibans: z.array(z.string()).min(1).optional(),
  title: z.string(),
  outcome: z.string(),
});
const Scenarios = z.strictObject({ data: z.array(Scenario) }).meta({ id: 'SandboxScenarios' });

/** A page of the books is as many lines, when nothing else is asked for; never more. */
const PAGE_LINES = 1_000;
export const LedgerPlace = z.strictObject({ after: z.int().min(0) });

const common = { tag: 'Sandbox', method: 'GET', scope: 'third_party:webhook_trigger' } as const;

/** The parts of the sandbox processor that a developer may read and change (contract §10). */
export interface SandboxInspection {
  /** The effects for an account, oldest first: up to `limit` lines after `after`, the `next` of the previous page. */
  readonly ledgerOf: (
    accountId: string,
    limit: number,
    after?: number,
  ) => Promise<{
    readonly lines: readonly {
      readonly reference: string;
      readonly operation: string;
      /** Minor units. */
      readonly amount: number;
      readonly currencyCode: string;
      readonly outcome: string;
      readonly capture?: string;
      /** ms */
      readonly at: number;
    }[];
    readonly next?: number;
  }>;
  /** The schema for the body of PUT /sandbox/faults and for the responses of PUT and GET. */
  readonly faultPlan: z.ZodType<object>;
  readonly faultReport: z.ZodType<object>;
  readonly faults: (accountId: string) => Promise<object>;
  /** The plan is one by `faultPlan`. */
  readonly setFaults: (
    accountId: string,
    plan: unknown,
  ) => Promise<
    | { readonly kind: 'set'; readonly report: object }
    | { readonly kind: 'invalid'; readonly problems: readonly string[] }
  >;
  readonly scenarios: () => z.input<typeof Scenario>[];
}

/** The sandbox that a request names. */
export const SandboxQuery = z.strictObject({
  connectionId: z
    .string()
    .regex(/^con_[0-9a-f]{1,64}$/)
    .optional()
    .meta({ description: 'A further sandbox of the account; without it, the first one.' }),
});

/** A sandbox of an account: its first one, or that of a connection. */
export interface SandboxOf {
  readonly accountId: string;
  readonly connectionId?: string | undefined;
}

/** Reads a connection, of any account. */
export interface KnownConnections {
  readonly connections: { readonly known: Pick<AccountConnections, 'read'> };
}

/** Undefined for a connection that is not one of the account to a sandbox. */
export async function sandboxOf(
  { connections }: KnownConnections,
  { accountId, connectionId }: SandboxOf,
): Promise<SandboxOf | undefined> {
  if (connectionId === undefined) return { accountId };
  const row = await connections.known.read(connectionId);
  return row?.doc.accountId === accountId && row.doc.processor === 'sandbox' ? { accountId, connectionId } : undefined;
}

export function sandboxRoutes(sandbox: SandboxInspection, parts: KnownConnections): readonly Route[] {
  const bookOf = async (accountId: string, connectionId: string | undefined): Promise<string | undefined> => {
    const of = await sandboxOf(parts, { accountId, connectionId });
    return of && (of.connectionId ?? of.accountId);
  };
  return [
    route({
      ...common,
      path: '/sandbox/ledger',
      id: 'getSandboxLedger',
      example: {},
      summary: "Read the account's part of the sandbox's own books, oldest first",
      request: z.object({
        query: SandboxQuery.extend({ limit: pageSizeUpTo(PAGE_LINES), cursor: CursorText.optional() }),
      }),
      answer: Ledger,
      errors: ['InvalidCursor', 'NotFound'],
      async handle({ query: { limit = PAGE_LINES, cursor, connectionId } }, { caller: { accountId } }) {
        const book = await bookOf(accountId, connectionId);
        if (book === undefined) return notFound();
        return listed(
          { limit, cursor },
          {
            list: 'sandbox-ledger',
            accountId,
            filters: { connectionId },
            place: LedgerPlace,
            async read(size, place) {
              const { lines: rows, next } = await sandbox.ledgerOf(book, size, place?.after);
              return { rows, next: next === undefined ? undefined : { after: next } };
            },
            itemsOf: (lines) =>
              lines.map(({ reference, operation, amount, currencyCode, outcome, capture, at }) => {
                const line = { reference, operation, amount, currencyCode, outcome, capture };
                return { ...line, at: formatTime(at) };
              }),
          },
        );
      },
    }),
    route({
      ...common,
      path: '/sandbox/faults',
      id: 'getSandboxFaults',
      example: {},
      summary: 'Read the fault rules of the account, and how often each was applied',
      request: z.object({ query: SandboxQuery }),
      answer: sandbox.faultReport,
      async handle({ query }, { caller: { accountId } }) {
        const book = await bookOf(accountId, query.connectionId);
        return book === undefined ? notFound() : found(await sandbox.faults(book));
      },
    }),
    route({
      ...common,
      method: 'PUT',
      path: '/sandbox/faults',
      id: 'replaceSandboxFaults',
      example: {
        body: { rules: [{ match: { operation: 'capture' }, do: { phase: 'during_reply', fault: 'reset', times: 1 } }] },
      },
      summary: 'Replace the fault rules of the account; the first rule that matches a call is applied',
      request: z.object({ query: SandboxQuery, body: sandbox.faultPlan }),
      answer: sandbox.faultReport,
      cardAt: 'rules.*.match.card',
      async handle({ query, body }, { caller: { accountId } }) {
        const book = await bookOf(accountId, query.connectionId);
        if (book === undefined) return notFound();
        const set = await sandbox.setFaults(book, body);
        return set.kind === 'set' ? found(set.report) : refuse('RequestValidationError', set.problems.join(' '));
      },
    }),
    route({
      ...common,
      path: '/sandbox/scenarios',
      id: 'listSandboxScenarios',
      example: {},
      summary: 'List every test card and every other method of payment, with its behaviour',
      request: z.object({}),
      answer: Scenarios,
      handle: () => found({ data: sandbox.scenarios() }),
    }),
  ];
}

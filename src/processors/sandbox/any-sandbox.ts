// The parts that are the same of the sandbox in this process and of the sandbox on another node.
import { OfferedMethod } from '../../domain/payment-method.ts';
import type { Call } from '../processor.ts';
import { scenarios } from './cards.ts';
import { FaultPlan, FaultReport, problemsIn } from './fault-plan.ts';
import { read, readSigned } from './notifications.ts';
import type { Sandbox } from './sandbox-interface.ts';

/**
 * The request in the book of its connection at the sandbox: a connection that was added has a book of its own, with
 * tokens, operations, faults and notifications, as an account at another acquirer would have.
 */
export const inBook = <R extends { readonly accountId: string }>(
  request: R,
  { connection: { connectionId } }: Call,
): R => {
  const book = bookOf(request.accountId, connectionId);
  return book === request.accountId ? request : { ...request, accountId: book };
};

/** Under whose name the sandbox keeps a payment of this account by this connection. */
export const bookOf = (accountId: string, connectionId: string): string =>
  connectionId.startsWith('con_') ? connectionId : accountId;

const CAPABILITIES = {
  partialCapture: true,
  multipleCaptures: true,
  adjustment: 'any',
  fenceProves: true,
  methods: OfferedMethod.options,
} as const;

type Same = Pick<
  Sandbox,
  | 'name'
  | 'consistencyWindowMs'
  | 'capabilities'
  | 'notifications'
  | 'reread'
  | 'scenarios'
  | 'faultPlan'
  | 'faultReport'
  | 'setFaults'
>;

/**
 * `secrets`: of the notifications' signatures; all verify. `keep`: keeps a plan for an account, or sends it to be kept.
 */
export const anySandbox = (
  secrets: readonly Buffer[],
  keep: (accountId: string, plan: FaultPlan) => Promise<FaultReport>,
): Same => ({
  name: 'sandbox',
  consistencyWindowMs: 120_000,
  capabilities: () => CAPABILITIES,
  notifications: (raw, headers, _connection, now) => readSigned(secrets, raw, headers, now),
  reread: read,
  scenarios,
  faultPlan: FaultPlan,
  faultReport: FaultReport,
  async setFaults(accountId, sent) {
    const plan = FaultPlan.safeParse(sent);
    if (!plan.success) return { kind: 'invalid', problems: problemsIn(plan.error) };
    return { kind: 'set', report: await keep(accountId, plan.data) };
  },
});

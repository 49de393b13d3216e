// The sandbox's faults for the dashboard: what can go wrong, the rules of the account, and how often they were applied.
// Test mode only.
import { z } from 'zod';
import type { ActingUser } from '../../../journal/contexts.ts';
import { refuse } from '../../errors.ts';
import { forRoles, found, notFound, type Route, route } from '../../route.ts';

const count = z.int().min(0);
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

/** A sandbox of an account: its first one, or that of a connection. */
export interface SandboxOf {
  readonly accountId: string;
  readonly connectionId?: string | undefined;
}
export const SandboxQuery = z.strictObject({
  /** A further sandbox of the account; without it, the first one. */
  connectionId: z
    .string()
    .regex(/^con_[0-9a-f]{1,64}$/)
    .optional(),
});

export interface SandboxFaults {
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
}

const common = { tag: 'Sandbox', scope: forRoles('owner', 'developer') } as const;

/** The sandbox that a request names; undefined for a connection that the account does not have. */
export async function sandboxOf(
  { further }: Pick<SandboxFaults, 'further'>,
  accountId: string,
  { connectionId }: z.output<typeof SandboxQuery>,
): Promise<SandboxOf | undefined> {
  if (connectionId === undefined) return { accountId };
  const isOwn = (await further(accountId)).some(({ id }) => id === connectionId);
  return isOwn ? { accountId, connectionId } : undefined;
}

export const sandboxFaultRoutes = ({ further, faultKinds, faults, setFaults }: SandboxFaults): readonly Route[] => [
  route({
    ...common,
    method: 'GET',
    path: '/dashboard/api/sandbox/fault-kinds',
    summary: 'List the faults, the phases of a call in which they can occur, and what the caller then knows',
    request: z.object({}),
    answer: FaultKinds,
    handle: () => found(faultKinds()),
  }),
  route({
    ...common,
    method: 'GET',
    path: '/dashboard/api/sandbox/faults',
    summary: 'Read the fault rules of the account, and how often each was applied',
    request: z.object({ query: SandboxQuery }),
    answer: Faults,
    async handle({ query }, { caller: { accountId } }) {
      const of = await sandboxOf({ further }, accountId, query);
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
      const of = await sandboxOf({ further }, caller.accountId, query);
      if (of === undefined) return notFound();
      const set = await setFaults(of, body, caller);
      return set.kind === 'set' ? found(set.report) : refuse('RequestValidationError', set.problems.join(' '));
    },
  }),
];

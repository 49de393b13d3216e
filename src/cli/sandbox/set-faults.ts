// Replaces the sandbox's rules for an account, on record as an act of a user or of an operator.
import type { RecordAct } from '../../commands/acts/record-act.ts';
import type { ActingUser } from '../../journal/contexts.ts';
import type { FaultsSet, Sandbox } from '../../processors/sandbox/sandbox-interface.ts';

/** `connectionId`: of a further sandbox of the account; without it, the first one. */
interface FaultsOf {
  readonly accountId: string;
  readonly connectionId?: string | undefined;
}

/** The name of the book at the sandbox. */
export const bookOf = ({ accountId, connectionId }: FaultsOf): string => connectionId ?? accountId;

/** A plan that the sandbox does not take leaves no event. */
export const setFaultsOnRecord =
  (sandbox: Pick<Sandbox, 'faultPlan' | 'setFaults'>, recordAct: RecordAct) =>
  async (of: FaultsOf, sent: unknown, by?: ActingUser): Promise<FaultsSet> => {
    const plan = sandbox.faultPlan.safeParse(sent);
    if (plan.success) {
      const { seed, rules } = plan.data;
      const at = of.connectionId === undefined ? {} : { connectionId: of.connectionId };
      await recordAct(of.accountId, { type: 'SandboxFaultsRequested', data: { seed, rules: [...rules], ...at } }, by);
    }
    return sandbox.setFaults(bookOf(of), sent);
  };

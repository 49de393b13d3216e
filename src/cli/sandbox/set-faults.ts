// Replaces the sandbox's rules for an account, on record as an act of a user or of an operator.
import type { RecordAct } from '../../commands/acts/record-act.ts';
import type { ActingUser } from '../../journal/contexts.ts';
import type { FaultsSet, Sandbox } from '../../processors/sandbox/sandbox-interface.ts';

/** A plan that the sandbox does not take leaves no event. */
export const setFaultsOnRecord =
  (sandbox: Pick<Sandbox, 'faultPlan' | 'setFaults'>, recordAct: RecordAct) =>
  async (accountId: string, sent: unknown, by?: ActingUser): Promise<FaultsSet> => {
    const plan = sandbox.faultPlan.safeParse(sent);
    if (plan.success) {
      const { seed, rules } = plan.data;
      await recordAct(accountId, { type: 'SandboxFaultsRequested', data: { seed, rules: [...rules] } }, by);
    }
    return sandbox.setFaults(accountId, sent);
  };

// What is the same of the sandbox in this process and of the one on another node.
import type { Capabilities, Processor } from '../processor.ts';
import { type Scenario, scenarios } from './cards.ts';
import { read, readSigned } from './notifications/notification.ts';
import { FaultPlan, FaultReport, problemsIn } from './rules/fault-plan.ts';
import { type FaultsSet, SANDBOX } from './sandbox-interface.ts';

export abstract class AnySandbox {
  readonly name = SANDBOX.name;
  readonly consistencyWindowMs = SANDBOX.consistencyWindowMs;
  readonly faultPlan = FaultPlan;
  readonly faultReport = FaultReport;
  readonly #secrets: readonly Buffer[];

  /** `secrets`: of the notifications' signatures; all verify. */
  constructor(secrets: readonly Buffer[]) {
    this.#secrets = secrets;
  }

  capabilities(): Capabilities {
    return SANDBOX.capabilities;
  }

  notifications(...[raw, headers, , now]: Parameters<Processor['notifications']>): ReturnType<Processor['notifications']> {
    return readSigned(this.#secrets, raw, headers, now);
  }

  reread(raw: string): ReturnType<Processor['reread']> {
    return read(raw);
  }

  scenarios(): readonly Scenario[] {
    return scenarios();
  }

  /** Only a plan is kept, or sent; anything else says why it is none. */
  async setFaults(accountId: string, sent: unknown): Promise<FaultsSet> {
    const plan = FaultPlan.safeParse(sent);
    if (!plan.success) return { kind: 'invalid', problems: problemsIn(plan.error) };
    return { kind: 'set', report: await this.keepPlan(accountId, plan.data) };
  }

  protected abstract keepPlan(accountId: string, plan: FaultPlan): Promise<FaultReport>;
}

// The rules of faults in the sandbox's file, as the thread that writes it asks them: chosen, counted and remembered.
import type { Database } from '../../../sqlite/database.ts';
import { COUNT_FAULT, DROP_FAULT_COUNTS, DROP_FAULT_PLAN, FAULT_COUNTS, FAULT_PLAN, KEEP_FAULT_PLAN } from '../sql.ts';
import { type Call, choose, NO_COUNTS, type Strike } from './fault-choice.ts';
import { FaultPlan, NO_FAULTS } from './fault-plan.ts';

export class FaultBook {
  readonly #plan;
  readonly #counts;
  readonly #count;
  readonly #keep;
  readonly #drop;
  readonly #dropCounts;
  /** Of accounts that were asked about: most have none, and every operation asks. */
  readonly #known = new Map<string, FaultPlan>();

  constructor(database: Database) {
    this.#plan = database.prepare<{ readonly plan: string }>(FAULT_PLAN);
    this.#counts = database.prepare<{ readonly rule: number; readonly fitted: number; readonly struck: number }>(FAULT_COUNTS);
    this.#count = database.prepare(COUNT_FAULT);
    this.#keep = database.prepare(KEEP_FAULT_PLAN);
    this.#drop = database.prepare(DROP_FAULT_PLAN);
    this.#dropCounts = database.prepare(DROP_FAULT_COUNTS);
  }

  /** The fault that strikes a call; inside the transaction that the call is part of, so that it is counted as often as it strikes. */
  strike(accountId: string, call: Call): Strike | undefined {
    const plan = this.#planOf(accountId);
    if (plan.rules.length === 0) return undefined;
    const counts = new Map(this.#counts.all(accountId).map(({ rule, fitted, struck }) => [rule, { fitted, struck }]));
    const { strike, counted } = choose(plan, (place) => counts.get(place) ?? NO_COUNTS, call);
    for (const [place, { fitted, struck }] of counted) this.#count.run(accountId, place, fitted, struck);
    return strike;
  }

  /** Counting begins anew. */
  replace(accountId: string, plan: FaultPlan): void {
    this.forget();
    this.#dropCounts.run(accountId);
    if (plan.rules.length === 0) this.#drop.run(accountId);
    else this.#keep.run(accountId, JSON.stringify(plan));
  }

  /** What is remembered of the file may be wrong now. */
  forget(): void {
    this.#known.clear();
  }

  #planOf(accountId: string): FaultPlan {
    const known = this.#known.get(accountId);
    if (known !== undefined) return known;
    const row = this.#plan.get(accountId);
    const plan = row === undefined ? NO_FAULTS : FaultPlan.parse(JSON.parse(row.plan));
    if (this.#known.size >= MAX_REMEMBERED) this.#known.clear();
    this.#known.set(accountId, plan);
    return plan;
  }
}

const MAX_REMEMBERED = 1_000;

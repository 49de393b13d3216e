// Documents of a log projection while events are applied to them, each at the position that it has seen.
import type { Stored } from '../../../stores/read-models.ts';
import { type Change, changed, type Reading } from '../../projection.ts';

export class Documents<Doc extends object> {
  readonly #of: Pick<Reading<Doc>, 'add'>;
  readonly #rows = new Map<string, Stored<Doc>>();
  readonly #changed = new Set<string>();

  constructor(of: Pick<Reading<Doc>, 'add'>) {
    this.#of = of;
  }

  found(rows: readonly Stored<Doc>[]): void {
    for (const row of rows) this.#rows.set(row.id, row);
  }

  /** All changes of an event, or none where one throws. A document that has seen the event stays. */
  change(position: bigint, changes: readonly Change<Doc>[]): void {
    const made = new Map<string, Stored<Doc>>();
    const revision = Number(position); // below 2^53 in every log that we know
    for (const change of changes) {
      const { id } = change;
      const before = this.#rows.get(id);
      if (before !== undefined && before.revision >= revision) continue;
      made.set(id, { id, revision, doc: changed(this.#of, (made.get(id) ?? before)?.doc, change) });
    }
    for (const [id, row] of made) {
      this.#rows.set(id, row);
      this.#changed.add(id);
    }
  }

  get changed(): readonly Stored<Doc>[] {
    return [...this.#changed].flatMap((id) => this.#rows.get(id) ?? []);
  }

  get all(): readonly Doc[] {
    return [...this.#rows.values()].map(({ doc }) => doc);
  }
}

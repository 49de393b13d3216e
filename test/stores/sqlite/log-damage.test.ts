// Columns and indexes of an embedded log that no chain signs: each alteration that hides events is found.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openSqliteEventStore } from '../../../src/stores/sqlite/event-store.ts';
import { openDatabase } from '../../../src/stores/sqlite/file/database.ts';
import { logDamage, mendLog } from '../../../src/stores/sqlite/log-damage.ts';
import { calmWorld } from '../../support/calm-world.ts';

const STREAM = 'payment-pay_1';

/** `hidden`: a condition of the index, whose text is then taken out of the file: the index silently lacks rows. */
interface Alteration {
  readonly what: string;
  readonly sql: string;
  readonly hidden?: string;
  readonly says: RegExp;
  /** False: only the check of the whole file finds it. */
  readonly isFoundInPart: boolean;
}
const ALTERATIONS: readonly Alteration[] = [
  {
    what: 'a stream in another category',
    sql: `UPDATE streams SET category = 'note' WHERE name = '${STREAM}'`,
    says: /^the category of the stream payment-pay_1 is recorded as note$/,
    isFoundInPart: true,
  },
  {
    what: 'an event that is not in the index of its stream',
    sql: 'DROP INDEX events_by_stream; CREATE UNIQUE INDEX events_by_stream ON events (stream, revision)',
    hidden: ' WHERE position <> 1',
    says: /events_by_stream/,
    isFoundInPart: true,
  },
  {
    what: 'a stream that is not found by its name',
    sql: `DROP INDEX streams_by_digits;
      CREATE INDEX streams_by_digits ON streams (substr(name, 41, 8) || substr(name, -10))`,
    hidden: ' WHERE id <> 1',
    says: /streams_by_digits/,
    isFoundInPart: false,
  },
];

describe('the damage of an embedded log', () => {
  let directory: string;
  let file: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'counterfoil-damage-'));
    file = join(directory, 'events.db');
    const store = await openSqliteEventStore({ file, world: calmWorld, report: () => undefined });
    const event = (n: number) => ({
      id: `00000000-0000-4000-8000-00000000000${n}`,
      type: 'Happened',
      data: '{}',
      metadata: '{}',
    });
    await store.append(STREAM, -1, [event(0), event(1)]);
    await store.append('note-a-b', -1, [event(2)]);
    await store.close();
  });
  afterEach(() => rm(directory, { recursive: true }));

  async function alter({ sql, hidden = '' }: Alteration): Promise<void> {
    const database = await openDatabase({ file, synchronous: 'full', busyTimeoutMs: 0, cacheKiB: 64 });
    database.exec(`${sql}${hidden}; PRAGMA wal_checkpoint(TRUNCATE)`);
    database.close();
    if (hidden === '') return;
    const bytes = await readFile(file);
    const at = bytes.indexOf(hidden);
    expect(at, 'the text of the index is in the file').to.be.greaterThan(0);
    await writeFile(file, bytes.fill(' ', at, at + hidden.length));
  }

  it('is none of a log that nobody altered', async () => {
    expect(await logDamage(file)).to.deep.equal([]);
    expect(await logDamage(file, -1n)).to.deep.equal([]);
  });

  for (const alteration of ALTERATIONS)
    it(`has ${alteration.what}`, async () => {
      await alter(alteration);
      const [found = ''] = await logDamage(file);
      expect(found).to.match(alteration.says);
      const inPart = await logDamage(file, -1n);
      expect(inPart, 'what was added').to.have.length(alteration.isFoundInPart ? 1 : 0);
      expect(await logDamage(file, 1n), 'later events are as they were').to.deep.equal([]);
      await mendLog(file);
      expect(await logDamage(file), 'mended').to.deep.equal([]);
    });
});

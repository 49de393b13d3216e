// The parts that a backup holds already are looked at by each run, and read within seven days.
import { hash } from 'node:crypto';
import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type BackupContent, type BackupPart, checkParts } from '../../src/cli/backup/backup-directory.ts';
import { Refused } from '../../src/cli/exit.ts';
import { formatTime } from '../../src/world.ts';
import { faultOf } from '../contract/store-under-test.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = Date.parse('2026-11-28T12:00:00Z');
const FILES = ['log-1.db', 'log-2.jsonl', 'log-3.jsonl'];

describe('the parts of a backup that goes on', () => {
  let directory = '';
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'counterfoil-parts-'));
  });
  afterEach(() => rm(directory, { recursive: true }));

  /** Written at these times. */
  async function content(written: readonly number[], readAt: readonly (number | undefined)[]): Promise<BackupContent> {
    const parts: BackupPart[] = [];
    for (const [n, file] of FILES.entries()) {
      const text = `part ${n}`;
      await writeFile(join(directory, file), text);
      await utimes(join(directory, file), (written[n] ?? 0) / 1_000, (written[n] ?? 0) / 1_000);
      const read = readAt[n];
      const its = { part: 'log', file, bytes: text.length, sha256: hash('sha256', text) } as const;
      parts.push({ ...its, ...(read !== undefined && { readAt: formatTime(read) }) });
    }
    const last = { stream: 's-1', revision: 0, hash: '' };
    const counts = { run: 3, storeId: 's', events: 3, broken: 0, position: '2', last };
    const madeAt = formatTime(NOW - HOUR);
    return { format: 'counterfoil-backup-1', ...counts, lastRecordedAt: madeAt, madeAt, parts };
  }
  const check = (of: BackupContent, readsAll = false) =>
    checkParts(directory, of, { world: { now: () => NOW }, signal: new AbortController().signal, readsAll });
  const readIn = (parts: readonly BackupPart[]): readonly string[] =>
    parts.filter(({ readAt }) => readAt === formatTime(NOW)).map(({ file }) => file);
  const saysOf = async (checking: Promise<unknown>): Promise<string> => {
    const fault = await faultOf(checking);
    expect(fault).to.be.instanceOf(Refused);
    return String(fault);
  };

  it('are read when they would be unread for seven days at the next run', async () => {
    const age = [7 * DAY, 7 * DAY - HOUR, 7 * DAY - HOUR - 1];
    expect(readIn(await check(await content([...age.map((ms) => NOW - ms)], [])))).to.deep.equal(FILES.slice(0, 2));
  });

  it('are read again seven days after that', async () => {
    const written = [NOW - 20 * DAY, NOW - 20 * DAY, NOW - 20 * DAY];
    const parts = await check(await content(written, [NOW - 8 * DAY, NOW - DAY, undefined]));
    expect(readIn(parts)).to.deep.equal(['log-1.db', 'log-3.jsonl']);
    expect(parts[1]?.readAt).to.equal(formatTime(NOW - DAY));
  });

  it('are all read on request', async () => {
    expect(readIn(await check(await content([NOW, NOW, NOW], []), true))).to.deep.equal(FILES);
  });

  it('are refused if one is missing or has another size, whenever it was read', async () => {
    const of = await content([NOW, NOW, NOW], []);
    await writeFile(join(directory, 'log-2.jsonl'), 'part');
    expect(await saysOf(check(of))).to.match(/log-2\.jsonl was altered: it has 4 bytes, and the backup wrote 6\./);
    await rm(join(directory, 'log-2.jsonl'));
    expect(await saysOf(check(of))).to.match(/log-2\.jsonl is missing\. .*back up into a new directory\./);
  });

  it('are refused if one that is read was altered', async () => {
    const of = await content([NOW, NOW - 8 * DAY, NOW], []);
    for (const file of ['log-1.db', 'log-2.jsonl']) await writeFile(join(directory, file), 'p@rt 1');
    await utimes(join(directory, 'log-2.jsonl'), (NOW - 8 * DAY) / 1_000, (NOW - 8 * DAY) / 1_000);
    expect(await saysOf(check(of))).to.include('log-2.jsonl was altered: its hash is not');
    await writeFile(join(directory, 'log-2.jsonl'), 'part 1');
    expect(await saysOf(check(of, true))).to.include('log-1.db was altered: its hash is not');
  });
});

// The writer of the embedded log: its memory of heads holds committed ones only.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import {
  type AppendReply,
  type AppendRequest,
  encodeAppends,
  isAppendReply,
} from '../../src/stores/sqlite/append-protocol.ts';
import { prepareEventSchema } from '../../src/stores/sqlite/event-schema.ts';
import { openDatabase } from '../../src/stores/sqlite/file/database.ts';
import { GroupCommit } from '../../src/stores/sqlite/file/group-commit.ts';
import { besides } from '../../src/stores/sqlite/file/thread.ts';
import { eventOf, faultOf } from '../contract/store-under-test.ts';
import { calmWorld } from '../support/calm-world.ts';

describe('the writer of the embedded log', () => {
  let directory: string;
  let writer: GroupCommit<AppendRequest, AppendReply>;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'counterfoil-appends-'));
    const file = join(directory, 'events.db');
    const database = await openDatabase({ file, synchronous: 'full', busyTimeoutMs: 0, cacheKiB: 64 });
    prepareEventSchema(database, file);
    database.close();
    const handler = besides('../../src/stores/sqlite/append-handler', import.meta.url);
    writer = new GroupCommit({
      file,
      handler,
      isReply: isAppendReply,
      world: calmWorld,
      report: (fault) => expect.fail(String(fault)),
    });
  });
  afterEach(async () => {
    await writer.close();
    await rm(directory, { recursive: true });
  });

  it('forgets heads and positions of a rolled back transaction, so that its other appends are written all the same', async () => {
    // All three in one transaction: the second makes it roll back, and the others are handled again.
    const append = (stream: string, after: number, count: number) =>
      writer.submit(encodeAppends([{ stream, after, events: Array.from({ length: count }, () => eventOf()) }]));
    const first = append('payment-1', -1, 2);
    const broken = writer.submit('payment-1');
    const next = append('payment-1', 1, 1);
    const other = append('payment-2', -1, 1);
    expect(String(await faultOf(broken))).to.contain('not a request to append');
    expect(await Promise.all([first, next, other])).to.deep.equal([0, 2, 3]);
    expect(await append('payment-1', 2, 1)).to.equal(4);
  });
});

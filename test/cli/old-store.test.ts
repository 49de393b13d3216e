// The command line's answer for a store that holds events of another schema.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { openSqliteEventStore } from '../../src/stores/sqlite/event-store.ts';
import { liveWorld, newUuid } from '../../src/world.ts';
import { Place } from './processes.ts';

const env = { COUNTERFOIL_SECRET: Buffer.alloc(32, 6).toString('base64url') };

/** The first event of a store as the version before the second schema wrote it. */
const ofFirstSchema = {
  type: 'StoreCreated',
  data: '{"mode":"test","wrappedStoreKey":"v1.wrapped","createdAt":1790000000000}',
  metadata:
    '{"accountId":"","actor":{"kind":"operator","id":"start"},"recordedAt":1790000000000,"requestId":"run_1","operationId":"run_1","schemaVersion":1,"previousHash":""}',
};

const EARLIER =
  'The event store holds events of an earlier schema (1; this version reads 2), and there is no upgrade. Start a new store (another data directory, database or EventStoreDB), and keep this store with the version that wrote it.';

describe('counterfoil on a store of another event schema', () => {
  let place: Place;
  beforeEach(() => {
    place = new Place();
  });
  afterEach(() => place.remove());

  const open = () => {
    mkdirSync(join(place.dir, 'data'), { recursive: true });
    return openSqliteEventStore({ file: join(place.dir, 'data/events.db'), world: liveWorld, report: () => undefined });
  };
  async function made(first: {
    readonly type: string;
    readonly data: string;
    readonly metadata: string;
  }): Promise<void> {
    const events = await open();
    await events.append('store-0', -1, [{ id: newUuid(liveWorld), ...first }]);
    await events.close();
  }

  it('refuses an earlier one in a sentence with the next step, for every command, and leaves it as it was', async () => {
    await made(ofFirstSchema);
    const commands = [
      'serve --port 0',
      'audit streams',
      'audit show store-0',
      'accounts list',
      'payments list',
      'projections list',
      'projections rebuild payments',
      'sandbox clock',
      'copy --from sqlite:data/events.db --to sqlite:data/other.db',
    ];
    for (const command of commands)
      expect(await place.run(command, { env }), command).to.deep.equal({ code: 2, stdout: '', stderr: `${EARLIER}\n` });
    const events = await open();
    expect(await events.head()).to.equal(0n);
    await events.close();
  });

  it('refuses a later one', async () => {
    await made({ ...ofFirstSchema, data: ofFirstSchema.data.replace('}', ',"eventSchema":3}') });
    const { code, stderr } = await place.run('audit streams', { env });
    expect({ code, stderr }).to.deep.equal({
      code: 2,
      stderr:
        'The event store holds events of a later schema (3; this version reads 2). Use the version that wrote them, or a newer one.\n',
    });
  });
});

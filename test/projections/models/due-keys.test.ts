// Policies find due documents along an index of its own, so that a million documents which are not due cost nothing.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { clientSessions } from '../../../src/projections/models/client-sessions.ts';
import { notifications } from '../../../src/projections/models/notifications.ts';
import { paymentInstruments } from '../../../src/projections/models/payment-instruments.ts';
import { payments } from '../../../src/projections/models/payments.ts';
import type { Collection } from '../../../src/stores/read-models.ts';
import { openSqliteReadModels } from '../../../src/stores/sqlite/read-models.ts';
import { calmWorld } from '../../support/calm-world.ts';

describe('due documents', () => {
  const directory = mkdtempSync(join(tmpdir(), 'due-keys-'));
  let store: Awaited<ReturnType<typeof openSqliteReadModels>>;
  before(async () => {
    store = await openSqliteReadModels({
      file: join(directory, 'read-models.db'),
      world: calmWorld,
      report: () => undefined,
    });
  });
  after(async () => {
    await store.close();
    rmSync(directory, { recursive: true });
  });

  const goesAlong = async <Doc extends object, K extends string>(
    of: Collection<Doc, K>,
    ...keys: readonly NoInfer<K>[]
  ): Promise<void> => {
    for (const by of keys) {
      const where: { [N in K]?: { readonly to: number } } = {};
      where[by] = { to: 1 };
      const query = { where, order: { by, descending: false }, limit: 100 };
      for (const page of [query, { ...query, after: { key: 0, id: 'x' } }]) {
        const plan = (await store.explain(of, page)).join('; ');
        expect(plan)
          .to.match(/USING INDEX/)
          .and.contain(`:${by}`)
          .and.not.match(/TEMP B-TREE/);
      }
    }
  };

  it('of payments', () => goesAlong(payments, 'dueAt', 'expiresAt', 'endedAt'));
  it('of client sessions', () => goesAlong(clientSessions, 'expiresAt', 'claimedAt'));
  it('of payment instruments', () => goesAlong(paymentInstruments, 'vaultingSince', 'expiresAt', 'claimedAt'));
  it('of notifications', () => goesAlong(notifications, 'receivedAt', 'parkedAt', 'retryAt'));
});

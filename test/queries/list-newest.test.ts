// Client sessions by status: open and expired ones by the time, whether or not their expiry is on record, at a cost
// that no old session raises.
import { expect } from 'chai';
import { RENEWABLE_MS } from '../../src/domain/client-session/decide.ts';
import type { OpenSession } from '../../src/domain/client-session/state.ts';
import { clientSessions } from '../../src/projections/models/client-sessions.ts';
import { listClientSessions, type SessionStatus } from '../../src/queries/client-sessions.ts';
import type { NewestCursor } from '../../src/queries/pages.ts';
import { memoryReadModels } from '../../src/stores/memory/read-models.ts';
import { isList } from '../../src/stores/query-index.ts';
import type { Key, Query, ReadModels, Stored } from '../../src/stores/read-models.ts';

const DAY_MS = 86_400_000;
const NOW = 400 * DAY_MS;
const LIFE_MS = RENEWABLE_MS + DAY_MS;

/**
 * A session a day: every third one is held, every seventh one was renewed long after its creation, and of the ended
 * ones the latest are not recorded.
 */
function made(day: number): Stored<OpenSession> {
  const createdAt = day * DAY_MS;
  const tokenIssuedAt = day % 7 === 0 ? createdAt + 25 * DAY_MS : createdAt;
  const sessionExpiresAt = tokenIssuedAt + LIFE_MS;
  const isHeld = day % 3 === 0;
  const isOnRecord = !isHeld && sessionExpiresAt <= NOW - 2 * DAY_MS;
  const doc: OpenSession = {
    status: 'open',
    accountId: 'acc_1',
    createdAt,
    tokenExpiresAt: tokenIssuedAt + DAY_MS,
    sessionExpiresAt,
    tokenIssuedAt,
    fields: {},
    ...(isHeld && { payment: { paymentId: `pay_${day}`, claimedAt: createdAt, abandonAfter: createdAt } }),
    ...(isOnRecord && { expiredAt: sessionExpiresAt }),
  };
  return { id: `cs_${String(day).padStart(4, '0')}`, revision: 0, doc };
}

const MADE = Array.from({ length: 400 }, (_, day) => made(day));

const isOf = (status: SessionStatus, { payment, sessionExpiresAt }: OpenSession): boolean =>
  status === 'IN_PAYMENT'
    ? payment !== undefined
    : payment === undefined && sessionExpiresAt <= NOW === (status === 'EXPIRED');

type Condition = Query<string>['where'][string];

const keysOf = (doc: OpenSession): ReadonlyMap<string, Key | undefined> =>
  new Map(Object.entries(clientSessions.keys).map(([name, key]) => [name, key(doc)]));

function holds(key: Key | undefined, condition: Condition): boolean {
  if (condition === undefined || key === undefined) return condition === undefined;
  if (isList(condition)) return condition.includes(key);
  return key >= (condition.from ?? key) && key <= (condition.to ?? key);
}

describe('A list of client sessions of one status', () => {
  let store: ReadModels;
  before(async () => {
    store = memoryReadModels();
    await store.write(clientSessions, MADE);
  });

  for (const status of ['OPEN', 'IN_PAYMENT', 'EXPIRED', undefined] satisfies (SessionStatus | undefined)[])
    it(`holds each session that is ${status ?? 'of any status'} by the time, newest first, page by page`, async () => {
      const found: string[] = [];
      let after: NewestCursor | undefined;
      do {
        const { rows, next } = await listClientSessions(store)('acc_1', { status }, NOW, 7, after);
        found.push(...rows.map(({ id }) => id));
        after = next;
      } while (after !== undefined);
      const expected = MADE.filter(({ doc }) => status === undefined || isOf(status, doc)).map(({ id }) => id);
      expect(found).to.deep.equal(expected.toReversed());
    });

  for (const status of ['OPEN', 'EXPIRED'] satisfies SessionStatus[])
    it(`passes over few others for the last page, and the first, of ${status}`, async () => {
      let passed: readonly Stored<OpenSession>[] = [];
      const watched: ReadModels = {
        ...store,
        find(of, query) {
          const along = Object.entries<Condition | undefined>(query.where).filter(([name]) => name !== 'endsAt');
          passed = MADE.filter(({ doc }) =>
            along.every(([name, condition]) => holds(keysOf(doc).get(name), condition)),
          );
          return store.find(of, query);
        },
      };
      const all = MADE.filter(({ doc }) => status === undefined || isOf(status, doc)).length;
      await listClientSessions(watched)('acc_1', { status }, NOW, 100);
      expect(passed.length).to.be.at.most(1.2 * all);
    });
});

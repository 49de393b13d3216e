// Claims that a crash left: found without anybody meeting them, looked at once, and never taken from a payment that
// lives.
import { expect } from 'chai';
import type { DomainEvent } from '../../src/domain/category.ts';
import type { Streams } from '../../src/journal/streams.ts';
import { releaseClaimsOfEnded, releaseSessionClaims, releaseTokenClaims } from '../../src/policies/release-claims.ts';
import { type Sweep, sweepOn } from '../../src/policies/sweep.ts';
import { sweeps } from '../../src/policies/walk.ts';
import { BrokenStream } from '../../src/stores/broken-stream.ts';
import { StoreUnavailable } from '../../src/stores/store-unavailable.ts';
import { hookedEvents, hookedReadModels } from '../crash/hooked-stores.ts';
import { card, checkout, memoryStores, merchant, nodeOn, type Stores, type TestNode } from '../support/node.ts';
import { type MovableWorld, movableWorld } from '../support/test-world.ts';

const ACCOUNT = 'acc_1';
const MINUTE_MS = 60_000;
const died = new Error('the process died here');

describe('a claim whose payment is over', () => {
  let world: MovableWorld;
  let stores: Stores;
  let node: TestNode;
  /** The first append of such an event never happens, nor does anything after it. */
  let diesAt: string | undefined;
  let appended: string[];
  let log: string;
  beforeEach(async () => {
    world = movableWorld();
    stores = await memoryStores(world);
    diesAt = undefined;
    appended = [];
    log = 'one';
    node = await open();
  });
  const open = (): Promise<TestNode> => {
    const events = hookedEvents(stores.events, {
      before: ({ types }) => {
        if (diesAt !== undefined && types.includes(diesAt)) throw died;
      },
      after: ({ types }) => void appended.push(...types),
    });
    return nodeOn({ ...stores, events });
  };
  const session = async () => {
    const made = await node.service.sessions.createClientSession(
      { orderId: 'o-1', currencyCode: 'EUR', amount: 1_000 },
      merchant(ACCOUNT, world),
    );
    if (made.kind === 'rejected') throw new Error(made.errorId);
    return made;
  };
  const pay = async (number?: string) => {
    const { id: sessionId, clientToken } = await session();
    const token = await node.service.instruments.tokenizeCard(card(number), checkout(ACCOUNT, sessionId, world));
    if (token.kind === 'rejected') throw new Error(token.errorId);
    const paid = await node.service.payments
      .authorizePayment({ clientToken, paymentMethodToken: token.id }, merchant(ACCOUNT, world))
      .catch((fault: unknown) => {
        if (fault !== died) throw fault;
        return undefined;
      });
    if (paid?.kind === 'rejected') throw new Error(paid.errorId);
    diesAt = undefined;
    return { id: paid?.id, sessionId, token: token.id };
  };
  const swept = <Doc extends object, K extends string>(sweep: Sweep<Doc, K>): Promise<void> =>
    sweepOn(
      sweep,
      { readModels: node.service.readModels, nameOfLog: async () => log },
      node.service.work,
      new AbortController().signal,
    );
  const sweepAll = async (): Promise<readonly string[]> => {
    const before = appended.length;
    const { work, readModels } = node.service;
    await swept(releaseSessionClaims(work, readModels));
    await swept(releaseTokenClaims(work, readModels));
    await swept(releaseClaimsOfEnded(work, readModels));
    return appended.slice(before);
  };
  const claimsOn = async ({ sessionId, token }: { readonly sessionId: string; readonly token: string }) => {
    const { streams } = node.service;
    const [{ state: ofSession }, { state: ofToken }] = [
      await streams.sessions.current(sessionId),
      await streams.instruments.current(token),
    ];
    return [
      ofSession.status === 'open' && ofSession.payment !== undefined,
      ofToken.status !== 'absent' && ofToken.claim !== undefined,
    ];
  };

  for (const [what, at, held] of [
    ['session', 'InstrumentClaimed', [true, false]],
    ['session and token', 'PaymentCreated', [true, true]],
  ] as const) {
    it(`because the payment was never made is fenced off and given back: ${what}`, async () => {
      diesAt = at;
      const left = await pay();
      expect(await claimsOn(left)).to.deep.equal(held);
      world.advance(9 * MINUTE_MS);
      expect(await sweepAll()).to.deep.equal([]);
      world.advance(MINUTE_MS);
      expect((await sweepAll())[0]).to.equal('PaymentAbandoned');
      expect(await claimsOn(left)).to.deep.equal([false, false]);
      expect(await sweepAll()).to.deep.equal([]);
    });
  }

  it('because the payment ended and its process died after that is given back', async () => {
    diesAt = 'ClientSessionReleased';
    const declined = await pay('4000000000000002');
    expect(await claimsOn(declined)).to.deep.equal([true, true]);
    world.advance(10 * MINUTE_MS);
    // The token stays used: a processor saw it.
    expect(await sweepAll()).to.deep.equal(['ClientSessionReleased']);
    expect(await claimsOn(declined)).to.deep.equal([false, true]);
    expect(await sweepAll()).to.deep.equal([]);
  });

  it('because no processor saw the card is given back, the token as well', async () => {
    diesAt = 'ClientSessionReleased';
    const notSent = await pay('4000009900001085');
    world.advance(10 * MINUTE_MS);
    await sweepAll();
    expect(await claimsOn(notSent)).to.deep.equal([false, false]);
  });

  it('because its payment ended long after it claimed is found as well', async () => {
    const paid = await pay();
    world.advance(60 * MINUTE_MS);
    expect(await sweepAll()).to.deep.equal([]); // it lives, and is not looked at again
    diesAt = 'ClientSessionReleased';
    await node.service.payments.cancelPayment(paid.id ?? '', {}, merchant(ACCOUNT, world));
    diesAt = undefined;
    expect(await claimsOn(paid)).to.deep.equal([true, true]);
    world.advance(10 * MINUTE_MS);
    expect(await sweepAll()).to.deep.equal(['ClientSessionReleased']);
  });

  describe('is found by each sweep for itself,', () => {
    /** Streams that the sweep reads, besides the read models. */
    const lookedUpBy = async (sweep: () => Promise<void>): Promise<readonly string[]> => {
      const { streams } = node.service;
      const read: string[] = [];
      const told = <State extends object, Event extends DomainEvent>(streams: Streams<State, Event>): void => {
        const { load, current } = streams;
        streams.load = (id) => {
          read.push(streams.name(id));
          return load.call(streams, id);
        };
        streams.current = (id) => {
          read.push(streams.name(id));
          return current.call(streams, id);
        };
      };
      told(streams.payments);
      told(streams.sessions);
      told(streams.instruments);
      await sweep();
      return read;
    };

    it('and no stream is read for claims of payments that live', async () => {
      await pay();
      world.advance(10 * MINUTE_MS);
      const { work, readModels } = node.service;
      expect(await lookedUpBy(() => swept(releaseSessionClaims(work, readModels)))).to.deep.equal([]);
      expect(await lookedUpBy(() => swept(releaseTokenClaims(work, readModels)))).to.deep.equal([]);
    });

    it('nor for payments that ended and no longer hold anything', async () => {
      await pay('4000000000000002');
      world.advance(10 * MINUTE_MS);
      const { work, readModels } = node.service;
      expect(await lookedUpBy(() => swept(releaseClaimsOfEnded(work, readModels)))).to.deep.equal([]);
    });

    it('of a session or a token whose payment is over, even if that is not swept', async () => {
      diesAt = 'ClientSessionReleased';
      const notSent = await pay('4000009900001085');
      world.advance(10 * MINUTE_MS);
      const { work, readModels } = node.service;
      await swept(releaseSessionClaims(work, readModels));
      expect(await claimsOn(notSent)).to.deep.equal([false, true]);
      await swept(releaseTokenClaims(work, readModels));
      expect(await claimsOn(notSent)).to.deep.equal([false, false]);
    });

    it('of a payment that is over, even if sessions and tokens are not swept', async () => {
      diesAt = 'ClientSessionReleased';
      const notSent = await pay('4000009900001085');
      world.advance(10 * MINUTE_MS);
      const { work, readModels } = node.service;
      await swept(releaseClaimsOfEnded(work, readModels));
      expect(await claimsOn(notSent)).to.deep.equal([false, false]);
    });
  });

  it('is never taken from a payment that lives, and costs one look for each claim, however many there are', async () => {
    for (let n = 0; n < 3; n += 1) await pay();
    world.advance(10 * MINUTE_MS);
    expect(await sweepAll()).to.deep.equal([]);
    const looked: string[] = [];
    const watched = hookedReadModels(stores.readModels, (verb, name) => void looked.push(`${verb} ${name}`));
    const other = await nodeOn({ ...stores, readModels: watched });
    looked.length = 0;
    const { work, readModels } = other.service;
    await sweepOn(
      releaseSessionClaims(work, readModels),
      { readModels, nameOfLog: async () => log },
      work,
      new AbortController().signal,
    );
    expect(looked).to.deep.equal(['get sweeps', 'find client-sessions']);
  });

  it('is looked for from the beginning in another log, whose read models are kept at the same place', async () => {
    await pay();
    world.advance(10 * MINUTE_MS);
    const placesOf = async () => {
      const [row] = await node.service.readModels.get(sweeps, ['release-claims-of-sessions']);
      return [row?.doc.log, row?.revision];
    };
    await sweepAll();
    await sweepAll();
    expect(await placesOf()).to.deep.equal(['one', 0]);
    log = 'another';
    await sweepAll();
    expect(await placesOf()).to.deep.equal(['another', 1]);
  });

  it('waits for a store that is unavailable, at the same place', async () => {
    diesAt = 'PaymentCreated';
    const left = await pay();
    world.advance(10 * MINUTE_MS);
    const { work, readModels } = node.service;
    const { payments } = node.service.streams;
    const { current } = payments;
    payments.current = () => Promise.reject(new StoreUnavailable('unavailable'));
    const fault = await swept(releaseSessionClaims(work, readModels)).catch((thrown: unknown) => thrown);
    expect(fault).to.be.instanceOf(StoreUnavailable);
    expect(await readModels.get(sweeps, ['release-claims-of-sessions'])).to.deep.equal([]);
    payments.current = current;
    await sweepAll();
    expect(await claimsOn(left)).to.deep.equal([false, false]);
  });

  it('is found beside documents whose streams are broken, from which nothing is concluded', async () => {
    diesAt = 'PaymentCreated';
    const left = await pay();
    diesAt = 'ClientSessionReleased';
    const ended = await pay('4000009900001085');
    diesAt = 'ClientSessionReleased';
    const beside = await pay('4000009900001085');
    world.advance(10 * MINUTE_MS);
    const { work, readModels } = node.service;
    const { state } = await node.service.streams.sessions.current(left.sessionId);
    const broken = [state.status === 'open' ? state.payment?.paymentId : undefined, beside.sessionId, beside.token];
    const get: typeof readModels.get = async (of, ids) => {
      const id = ids.find((one) => broken.includes(one));
      if (id === undefined) return readModels.get(of, ids);
      throw new BrokenStream(
        { stream: `${of.name}-${id}`, revision: 1, position: 1n, type: 'Altered' },
        'it was altered',
      );
    };
    const damaged = { ...readModels, get };
    const sweepDamaged = async (): Promise<void> => {
      const parts = { readModels: damaged, nameOfLog: async () => log };
      const { signal } = new AbortController();
      await sweepOn(releaseSessionClaims(work, damaged), parts, work, signal);
      await sweepOn(releaseClaimsOfEnded(work, damaged), parts, work, signal);
    };
    await sweepDamaged();
    expect(await claimsOn(left)).to.deep.equal([true, true]);
    expect(await claimsOn(ended)).to.deep.equal([false, false]);
  });
});

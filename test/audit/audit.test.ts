// Walks over the log for users of a running service, over when their user goes.
import { expect } from 'chai';
import { makeAudit } from '../../src/audit/audit.ts';
import { StoreKey } from '../../src/secrets.ts';
import type { EventStore } from '../../src/stores/event-store.ts';
import { calmWorld } from '../support/calm-world.ts';
import { memoryStores, nodeOn, type Stores } from '../support/node.ts';
import { newAccount, pay } from '../webhooks/told-node.ts';

describe('a walk over the log for a user', () => {
  let stores: Stores;
  let pass: () => void;
  let entered: Promise<void>;
  before(async () => {
    stores = await memoryStores();
    const { service } = await nodeOn(stores, { cardTestingLimits: false });
    await pay(service, await newAccount(service));
    await service.work.makeCheckpoint(0, 'test', new AbortController().signal);
  });

  /** The audit of a log that is read when `pass` was called. */
  function gated() {
    const gate = new Promise<void>((resolve) => {
      pass = resolve;
    });
    let enter: () => void = () => undefined;
    entered = new Promise((resolve) => {
      enter = resolve;
    });
    const { events } = stores;
    const slow: EventStore = {
      append: (...of) => events.append(...of),
      read: (...of) => events.read(...of),
      head: () => events.head(),
      close: () => events.close(),
      async *follow(...of) {
        enter();
        const aborted = new Promise<void>((resolve) => of[2].addEventListener('abort', () => resolve()));
        await Promise.race([gate, aborted]);
        yield* events.follow(...of);
      },
    };
    const { secrets } = stores;
    const storeKey = new StoreKey(Buffer.alloc(32, 3));
    return makeAudit({ events: slow, secrets, storeKey, world: calmWorld, checkpointEveryMs: undefined });
  }

  it('ends when its user goes', async () => {
    const audit = gated();
    const gone = new AbortController();
    const first = audit
      .compare(() => undefined, gone.signal)
      .then(
        () => 'ended',
        (fault: unknown) => fault,
      );
    await entered;
    gone.abort(new Error('gone'));
    expect(await first).to.equal(gone.signal.reason);
    pass();
    expect(await audit.compare(() => undefined, new AbortController().signal)).to.deep.include({ held: 1 });
  });

  it('proves no payment that the log does not have', async () => {
    const audit = gated();
    pass();
    expect(await audit.prove({ paymentId: 'pay_none' }, () => undefined, new AbortController().signal)).to.equal(
      undefined,
    );
  });
});

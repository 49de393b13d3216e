// Several nodes on the same stores: one follows for all, any of them repairs after another, and a paused node does no
// harm.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { copyOf } from '../../../src/projections/engine/generations/copy.ts';
import type { EngineTimings } from '../../../src/projections/engine/timings.ts';
import { StoreUnavailable } from '../../../src/stores/store-unavailable.ts';
import { Gate } from '../../crash/hooked-stores.ts';
import { calmWorld } from '../../support/calm-world.ts';
import { until } from '../../support/until.ts';
import { append, ledgers, opened, paid } from './ledger.ts';
import { type Node, Nodes } from './nodes.ts';

describe('several nodes', () => {
  let nodes: Nodes;
  beforeEach(() => {
    nodes = new Nodes();
  });
  afterEach(() => nodes.close());

  /** The first holds the lease, and the others know it to be alive. */
  const running = async (count: number, timings: Partial<EngineTimings> = {}): Promise<readonly Node[]> => {
    const made: Node[] = [];
    for (let n = 0; n < count; n += 1) {
      const node = await nodes.open({ timings });
      node.run();
      made.push(node);
      await until(() => made.slice(1).every(({ projections }) => projections.isWorkElsewhere()));
    }
    return made;
  };
  const [first, second]: readonly [(of: readonly Node[]) => Node, (of: readonly Node[]) => Node] = [
    ([one]) => one ?? expect.fail('no node'),
    ([, two]) => two ?? expect.fail('no second node'),
  ];

  it('see each other’s writes at once, by inline projection alone', async () => {
    const made = [await nodes.open(), await nodes.open(), await nodes.open()];
    await Promise.all(made.map((node) => node.projections.readModels.count(ledgers)));
    for (let turn = 0; turn < 30; turn += 1) {
      const writer = made[turn % 3] ?? first(made);
      const revision = await writer.write('a', turn === 0 ? opened('ann') : paid(1));
      for (const node of made) expect(await node.revision('a')).to.equal(revision);
    }
  });

  it('leave following to one of them, and are ready all the same', async () => {
    const made = await running(3);
    await until(() => made.every(({ projections }) => projections.readiness().ready));
    const readers = new Set<Node>();
    for (const node of made) {
      node.control.beforeRead = (collection) => {
        if (collection === ledgers.name) readers.add(node);
      };
    }
    await append(nodes.events, 'crashed', -1, opened('ann'), paid(5)); // by no process that would project it
    await until(async () => (await first(made).balance('crashed')) === 5);
    await made[2]?.write('b', opened('bob'));
    await until(async () => (await first(made).projections.status()).every(({ lagEvents }) => lagEvents === 0));
    expect([...readers]).to.deep.equal([first(made)]);
    expect(first(made).projections.isWorkElsewhere()).to.equal(false);
    expect(made.flatMap(({ faults }) => faults)).to.deep.equal([]);
  });

  it('write a document once as a rule, not once a node', async () => {
    const made = await running(3);
    let writes = 0;
    for (const node of made) {
      node.control.beforeWrite = (collection, ids) => {
        if (collection === ledgers.name) writes += ids.length;
      };
    }
    const ids = Array.from({ length: 60 }, (_, n) => `l${n}`);
    await Promise.all(ids.map((id, n) => made[n % 3]?.write(id, opened('ann'))));
    await until(async () => (await first(made).projections.status()).every(({ lagEvents }) => lagEvents === 0));
    // Its own are noted; of the others' the holder may be faster than they are.
    expect(writes).to.be.within(60, 100);
  });

  it('are ready by their own doing: a node that starts before the end of the log waits for no lease', async () => {
    const killed = first(await running(1));
    killed.control.pause();
    await append(nodes.events, 'a', -1, opened('ann'), paid(1));
    const next = await nodes.open({ timings: { leaseDeadMs: 3_600_000 } });
    next.run();
    await until(() => next.projections.readiness().ready);
    expect(await next.balance('a')).to.equal(1);
    await append(nodes.events, 'b', -1, opened('bob')); // and it goes on following: no other is known to be alive
    await until(async () => (await next.revision('b')) === 0);
  });

  it('are ready by their own doing, even while the follower hangs', async () => {
    const holder = first(await running(1));
    const gate = new Gate();
    holder.control.beforeWrite = (collection) => (collection === ledgers.name ? gate.pass() : undefined);
    await append(nodes.events, 'a', -1, opened('ann'));
    await gate.reached;
    const next = await nodes.open();
    next.control.beforeEvents = () => until(() => next.projections.isWorkElsewhere());
    expect(next.projections.readiness().ready).to.equal(false);
    next.run();
    await until(() => next.projections.readiness().ready);
    expect([await next.revision('a'), next.projections.isWorkElsewhere()]).to.deep.equal([0, true]);
    gate.open();
  });

  it('repair after a dead holder, with all events since its last checkpoint', async () => {
    const made = await running(2);
    const [holder, other] = [first(made), second(made)];
    await append(nodes.events, 'a', -1, opened('ann'));
    await until(async () => (await other.projections.status())[0]?.checkpoint === '0');
    // It dies between an append and its document; others append and die as well.
    const gate = new Gate();
    holder.control.beforeWrite = (collection) => (collection === ledgers.name ? gate.pass() : undefined);
    holder.write('left', opened('bob')).catch(() => undefined);
    await gate.reached;
    holder.control.pause();
    await append(nodes.events, 'b', -1, opened('eve'), paid(3));
    expect([await other.revision('left'), await other.revision('b')]).to.deep.equal([-1, -1]);
    const from: bigint[] = [];
    other.control.beforeFollow = (after) => from.push(after);
    await until(async () => (await other.revision('left')) === 0 && (await other.balance('b')) === 3);
    expect([other.projections.isWorkElsewhere(), from[0]]).to.deep.equal([false, 0n]);
    await until(() => other.projections.readiness().ready);

    // It was only paused: its write in hand is older than the document there, and it leaves the work where it is.
    const revision = await other.write('left', paid(7));
    gate.open();
    holder.control.wake();
    await until(() => holder.projections.isWorkElsewhere());
    expect([await holder.revision('left'), await holder.balance('left')]).to.deep.equal([revision, 7]);
    await until(() => holder.projections.readiness().ready);
  });

  it('take over at once from a holder that stops in order', async () => {
    const made = await running(2, { leaseDeadMs: 60_000 });
    const stoppedAt = calmWorld.monotonic();
    await first(made).stop();
    await append(nodes.events, 'a', -1, opened('ann'));
    await until(async () => (await second(made).revision('a')) === 0);
    expect(calmWorld.monotonic() - stoppedAt).to.be.below(30_000); // not when the holder was silent for long enough
  });

  it('repair documents that a node could not write while only it had lost the read models, without waiting for it', async () => {
    const made = await running(2);
    const [holder, other] = [first(made), second(made)];
    const never = new Gate();
    other.control.beforeWrite = (collection) => (collection === ledgers.name ? never.pass() : undefined);
    const writing = other.write('a', opened('ann'));
    await until(async () => (await holder.revision('a')) === 0);
    expect(await writing).to.equal(0);
    await until(() => !other.projections.readiness().ready);
    expect(other.projections.readiness().reasons.join()).to.match(
      /^the read models have accepted no writes for \d s: 1 document waits$/,
    );
    expect(holder.projections.readiness().ready).to.equal(true);
    other.control.beforeWrite = () => undefined;
    never.open();
    await until(() => other.projections.readiness().ready);
  });

  it('take over from a holder that has lost the event store alone, even if its subscription says nothing of that', async () => {
    const made = await running(2);
    const [holder, other] = [first(made), second(made)];
    const silence = new Gate();
    holder.control.beforeBatch = () => silence.pass();
    holder.control.beforeEvents = () => {
      throw new StoreUnavailable('unplugged');
    };
    await append(nodes.events, 'crashed', -1, opened('ann')); // by no process that would project it
    await until(async () => (await other.revision('crashed')) === 0);
    await until(() => holder.projections.isWorkElsewhere());
    expect(other.projections.isWorkElsewhere()).to.equal(false);
    holder.control.beforeBatch = () => undefined;
    holder.control.beforeEvents = () => undefined;
    silence.open();
    await until(() => holder.projections.readiness().ready);
  });

  it('go on while a read model is rebuilt and both write, and the follower is not the rebuilder', async () => {
    const made = await running(3);
    let isOver = false;
    const lost: string[] = [];
    const writer = async (node: Node, name: string): Promise<number> => {
      let written = 0;
      for (let turn = 0; !isOver; turn += 1) {
        const id = `${name}-${turn % 7}`;
        const revision = await node.write(id, turn < 7 ? opened(name) : paid(1));
        for (const reader of made) if ((await reader.revision(id)) < revision) lost.push(`${id}@${revision}`);
        written += 1;
        await nextTurn(); // memory stores answer without one, and timers would never have theirs
      }
      return written;
    };
    const writers = made.map((node, n) => writer(node, `w${n}`));
    for (const node of made) {
      expect(await node.projections.rebuild('ledgers')).to.include({ equal: true, different: 0, swapped: true });
    }
    isOver = true;
    for (const written of await Promise.all(writers)) expect(written).to.be.above(20);
    expect(lost).to.deep.equal([]);
    await until(async () => (await first(made).projections.status()).every(({ lagEvents }) => lagEvents === 0));
    expect(await second(made).projections.rebuild('ledgers', { dryRun: true })).to.include({
      equal: true,
      different: 0,
    });
    expect(made.flatMap(({ faults }) => faults)).to.deep.equal([]);
  });

  it('lose nothing of a node that was paused through a whole rebuild with an append in hand', async () => {
    const made = await running(2);
    for (const sleeper of [second(made), first(made)]) {
      const awake = made.find((node) => node !== sleeper) ?? first(made);
      const id = sleeper === first(made) ? 'of-holder' : 'of-other';
      await sleeper.write(id, opened('ann'));
      const gate = new Gate();
      sleeper.control.beforeWrite = (collection) => (collection === ledgers.name ? gate.pass() : undefined);
      const writing = sleeper.write(id, paid(5)); // appended, and on its way to the generation that is live now
      await gate.reached;
      sleeper.control.pause();
      const before = (await awake.projections.status())[0]?.generation ?? 0;
      await awake.projections.rebuild('ledgers');
      await awake.projections.rebuild('ledgers'); // its generation is no longer even kept
      expect(await awake.balance(id)).to.equal(5);
      expect((await awake.projections.status())[0]?.generation).to.equal(before + 2);
      sleeper.control.beforeWrite = () => undefined;
      gate.open();
      sleeper.control.wake();
      expect(await writing).to.equal(1);
      expect(await sleeper.balance(id)).to.equal(5);
      const revision = await sleeper.write(id, paid(1));
      expect([await awake.revision(id), await awake.balance(id)]).to.deep.equal([revision, 6]);
      await until(() => made.every(({ projections }) => projections.readiness().ready));
    }
    expect(await nodes.readModels.generations('ledgers')).to.have.length.at.most(2);
    expect(await nodes.readModels.count(copyOf(ledgers, 5))).to.equal(2);
  });
});

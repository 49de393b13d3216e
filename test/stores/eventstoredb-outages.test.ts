// EventStoreDB killed, paused and ended under appends: no acknowledged event is lost, none is doubled, and its absence
// is told at once.
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { expect } from 'chai';
import type { EventStore } from '../../src/stores/event-store.ts';
import { type AppendAnswer, AppendCall } from '../../src/stores/eventstoredb/append-call.ts';
import { AppendLine } from '../../src/stores/eventstoredb/append-line.ts';
import { noMeters } from '../../src/stores/store-meters.ts';
import { StoreUnavailable } from '../../src/stores/store-unavailable.ts';
import type { World } from '../../src/world.ts';
import { eventOf, eventsIn, eventsOf, faultOf, streamOf } from '../contract/store-under-test.ts';
import { calmWorld, pause } from '../support/calm-world.ts';
import { until } from '../support/until.ts';
import { eventStoreDbUnderTest, QUICK, soon, type UnderTest } from './eventstoredb-under-test.ts';
import { PATIENT } from './patient-timings.ts';

/** True if the server takes an append of a client that has just been opened. */
async function takesAppends(url: string): Promise<boolean> {
  const client = EventStoreDBClient.connectionString(url);
  try {
    await client.appendToStream(streamOf(), jsonEvent({ type: 'bare', data: {} }));
    return true;
  } catch {
    return false;
  } finally {
    await client.dispose();
  }
}

describe('EventStoreDB that becomes unavailable and comes back', () => {
  let under: UnderTest;
  let store: EventStore;
  beforeEach(async () => {
    under = await eventStoreDbUnderTest();
    store = await under.open();
  });
  afterEach(() => under.dispose());

  /** 64 writers, each of its own stream, one event after the other; a refusal is tried again with the same event. */
  function writeOn(
    signal: AbortSignal,
  ): Promise<readonly { readonly stream: string; readonly ids: readonly string[] }[]> {
    const write = async (): Promise<{ readonly stream: string; readonly ids: readonly string[] }> => {
      const [stream, ids]: [string, string[]] = [streamOf(), []];
      while (!signal.aborted) {
        const event = eventOf({ n: ids.length });
        await until(async () => {
          const answer = await store.append(stream, ids.length - 1, [event]).catch((fault: unknown) => fault);
          if (answer !== 'written') expect(answer).to.be.instanceOf(StoreUnavailable);
          return answer === 'written';
        });
        ids.push(event.id);
      }
      return { stream, ids };
    };
    return Promise.all(Array.from({ length: 64 }, write));
  }

  async function expectAll(
    written: readonly { readonly stream: string; readonly ids: readonly string[] }[],
  ): Promise<void> {
    for (const { stream, ids } of written)
      expect((await eventsIn(store, stream)).map(({ id }) => id)).to.deep.equal(ids);
  }

  it('has lost nothing that was acknowledged and doubled nothing after three kills with 64 appends in flight', async () => {
    under.needs('a kill');
    const done = new AbortController();
    const writing = writeOn(done.signal);
    for (let kills = 0; kills < 3; kills += 1) {
      await pause(300);
      await under.server.kill();
      await pause(200);
      await under.server.start();
      await soon('appends again', async () => (await faultOf(store.append(streamOf(), -1, eventsOf(1)))) === undefined);
    }
    done.abort();
    await expectAll(await writing);
    expect(under.counted.available.slice(-1)).to.deep.equal([true]);
  });

  it('answers every append in flight once after a freeze of 5 s, none with an error, and refuses new ones meanwhile', async () => {
    const patient = await under.open({ timings: { ...PATIENT, tryMs: 1_000, proofMs: 500 } });
    const appends = Array.from({ length: 64 }, () => ({ stream: streamOf('frozen'), events: eventsOf(2) }));
    under.server.freeze();
    const answers = appends.map(({ stream, events }) => patient.append(stream, -1, events));
    await pause(2_500);
    const from = calmWorld.monotonic();
    const refused = await faultOf(patient.append(streamOf(), -1, eventsOf(1)));
    expect(refused).to.be.instanceOf(StoreUnavailable);
    expect(refused).to.include({ outcomeUnknown: false });
    expect(calmWorld.monotonic() - from).to.be.lessThan(400); // neither an attempt nor a proof was waited for
    await pause(2_500);
    under.server.thaw();
    const thawed = calmWorld.monotonic();
    expect(await Promise.all(answers)).to.deep.equal(appends.map(() => 'written'));
    expect(calmWorld.monotonic() - thawed).to.be.lessThan(PATIENT.outcomePatienceMs / 4);
    for (const { stream, events } of appends) {
      expect((await eventsIn(patient, stream)).map(({ id }) => id)).to.deep.equal(events.map(({ id }) => id));
    }
  });

  it('says that the outcome is unknown when its patience ends, and that nothing was sent when it is known to be unavailable', async () => {
    const impatient = await under.open({ timings: { ...QUICK, outcomePatienceMs: 1_000 } });
    under.server.freeze();
    const sent = await faultOf(impatient.append(streamOf(), -1, eventsOf(1)));
    expect(sent).to.be.instanceOf(StoreUnavailable);
    expect(sent).to.include({ outcomeUnknown: true });
    const unsent = await faultOf(impatient.append(streamOf(), -1, eventsOf(1)));
    expect(unsent).to.include({ outcomeUnknown: false });
    under.server.thaw();
  });

  it('survives the death of a server that takes nothing more: waiting messages end neither the process nor an append', async () => {
    const text = 'x'.repeat(16_000);
    const appends = Array.from({ length: 250 }, () => ({ stream: streamOf('large'), events: [eventOf({ text })] }));
    under.server.freeze();
    const answers = appends.map(({ stream, events }) => store.append(stream, -1, events));
    await pause(200);
    await under.server.kill();
    await under.server.start();
    expect(await Promise.all(answers)).to.deep.equal(appends.map(() => 'written'));
    for (const { stream } of appends) expect(await eventsIn(store, stream)).to.have.length(1);
  });

  it('keeps no line that is lost in the moment in which it has proven itself', async () => {
    const { send } = AppendCall.prototype;
    const timings = { ...PATIENT, proofMs: 30_777 };
    let proving: AppendCall | undefined;
    let losses = 0;
    const world: World = {
      ...calmWorld,
      sleep: (ms, signal) => {
        const lose = (): void => {
          if (losses === 1) return;
          losses += 1;
          proving?.lose(new Error('cut'));
        };
        // the proof is over, and not yet looked at
        if (ms === timings.proofMs) signal.addEventListener('abort', lose, { once: true });
        return calmWorld.sleep(ms, signal);
      },
    };
    AppendCall.prototype.send = function sendKnown(request): Promise<AppendAnswer> {
      proving = this;
      return send.call(this, request);
    };
    const line = new AppendLine({ url: under.server.url, world, meters: noMeters, timings, inOrder: false });
    try {
      await line.start();
      expect(losses).to.equal(1);
      expect((await line.call())?.isLost).to.equal(false);
    } finally {
      AppendCall.prototype.send = send;
      line.close();
    }
  });

  it('notices at once that a server is back which was unavailable for long', async () => {
    await store.close();
    under.counted.available.length = 0;
    store = await under.open({
      timings: { ...PATIENT, readMs: QUICK.readMs, unavailableReadMs: QUICK.unavailableReadMs },
    });
    await store.append(streamOf(), -1, eventsOf(1));
    await under.server.kill();
    await soon('unavailable', () => under.counted.available.at(-1) === false);
    expect(await faultOf(store.append(streamOf(), -1, eventsOf(1)))).to.include({ outcomeUnknown: false });
    expect(await faultOf(store.head())).to.be.instanceOf(StoreUnavailable);
    await pause(12_000); // gRPC itself would now wait for four seconds and more before it connects again
    await under.server.start();
    // a real server opens its port up to seconds before it takes an append
    await soon('a bare client appends', () => takesAppends(under.server.url));
    await soon(
      'appends again',
      async () => (await faultOf(store.append(streamOf(), -1, eventsOf(1)))) === undefined,
      3_000,
    );
    await soon('reads again', async () => (await faultOf(store.head())) === undefined, 3_000);
    expect(under.counted.available).to.deep.equal([true, false, true]);
  });

  it('does not disturb the appends to another server of the same process when it dies', async () => {
    const other = await eventStoreDbUnderTest();
    const healthy = await other.open();
    await other.server.order({ order: 'delay appends', appends: 64, ms: 200 });
    const appends = Array.from({ length: 64 }, () => healthy.append(streamOf(), -1, eventsOf(1)));
    const unlucky = store.append(streamOf(), -1, eventsOf(1));
    await under.server.kill();
    expect(await Promise.all(appends)).to.deep.equal(appends.map(() => 'written'));
    expect(other.counted).to.deep.equal({ retried: 0, outcomeUnknown: 0, dropped: 0, available: [true] });
    await under.server.start();
    expect(await unlucky).to.equal('written');
    await other.dispose();
  });

  it('goes on over a connection that is cut while nothing is under way, without a refusal', async () => {
    for (let cuts = 0; cuts < 5; cuts += 1) {
      await under.server.order({ order: 'cut connections' });
      expect(await store.append(streamOf(), -1, eventsOf(1))).to.equal('written');
      expect(await store.head()).to.not.equal(-1n);
    }
  });

  it('appends to a server that is ending, for as long as it takes appends', async () => {
    await under.server.order({ order: 'end within', ms: 120_000 });
    void under.server.terminate();
    await pause(200);
    expect(await store.append(streamOf(), -1, eventsOf(1))).to.equal('written');
  });

  it('ends with appends under way: each is answered, and none is left open', async () => {
    const answers = Array.from({ length: 20 }, () => store.append(streamOf(), -1, eventsOf(1)));
    await store.close();
    expect(await Promise.all(answers)).to.deep.equal(answers.map(() => 'written'));
    under.server.freeze();
    const other = under.open({ timings: QUICK });
    expect(await faultOf(other)).to.be.instanceOf(StoreUnavailable);
    under.server.thaw();
    await soon('nothing open', async () => {
      const { open } = await under.server.counters();
      return open.batchAppends === 0 && open.reads === 0 && open.connections === 0;
    });
  });
});

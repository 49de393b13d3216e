// Opening EventStoreDB, and closing it: the first checks, and the words in which they fail.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'chai';
import { defaultTimings } from '../../src/stores/eventstoredb/timings.ts';
import { StoreUnavailable } from '../../src/stores/store-unavailable.ts';
import { eventsOf, faultOf, streamOf } from '../contract/store-under-test.ts';
import { calmWorld } from '../support/calm-world.ts';
import { nodeArguments, scriptBeside } from '../support/script.ts';
import { eventStoreDbUnderTest, QUICK, type UnderTest } from './eventstoredb-under-test.ts';

describe('the start of the EventStoreDB adapter', () => {
  let under: UnderTest;
  before(async () => {
    under = await eventStoreDbUnderTest();
  });
  afterEach(() => under.server.order({ order: 'behave' }));
  after(() => under.dispose());

  it('says within its time that nothing answers, and why', async () => {
    const from = calmWorld.monotonic();
    const fault = await faultOf(under.open({ url: 'esdb://127.0.0.1:1?tls=false', timings: QUICK }));
    expect(fault).to.be.instanceOf(StoreUnavailable);
    expect(String(fault)).to.contain('ECONNREFUSED');
    expect(calmWorld.monotonic() - from).to.be.within(QUICK.startMs - 100, defaultTimings.startMs - 1_000);
  });

  it('waits for a server that is still starting', async () => {
    await under.server.order({ order: 'be not ready', ms: 700 });
    const store = await under.open();
    expect(await store.append(streamOf(), -1, eventsOf(1))).to.equal('written');
  });

  it('says at once which right to grant when $all may not be read', async () => {
    await under.server.order({ order: 'refuse $all' });
    const fault = await faultOf(under.open());
    expect(fault).to.include({ code: 'AccessDenied' });
    expect(String(fault)).to.contain('read $all').and.to.contain('$admins');
  });

  it('refuses a URL that the client does not know, or would grumble about, without its password', async () => {
    const wrong = [
      'esdb://someone:secret@host:port?tls=false',
      'http://someone:secret@host:2113',
      'esdb://someone:secret@host:2113?tls=maybe',
      'esdb://someone:secret@host:2113?tlsVerifyCert=false',
      'esdb://someone:secret@host:2113?tsl=false',
      'esdb://someone:secret@host:2113?tlsCAFile=/not/there.crt',
    ];
    for (const url of wrong) {
      const fault = await faultOf(under.open({ url }));
      expect(fault, url).to.include({ code: 'WrongSettings' });
      expect(String(fault)).to.not.contain('secret');
    }
  });

  it('gives a notice when the URL has a user that is never sent', async () => {
    const url = under.server.url.replace('esdb://', 'esdb://admin:changeit@');
    await under.open({ url });
    expect(under.reported.map(String)).to.deep.equal([
      'The URL of the event store has a user and a password, but tls=false: the credentials are not sent to EventStoreDB.',
    ]);
  });

  it('lets its process end once it is closed', async () => {
    const started = nodeArguments(
      scriptBeside('./eventstoredb-child', import.meta.url),
      under.server.url,
      '3',
      streamOf(),
    );
    const child = spawn(process.execPath, started, { stdio: 'ignore' });
    expect(await once(child, 'exit')).to.deep.equal([0, null]);
  });
});

// A start that is faster than its stores: it waits for them as long as it may, and says so.
import { expect } from 'chai';
import { waitForStore } from '../../src/cli/open/stores.ts';
import { StoreUnavailable } from '../../src/stores/store-unavailable.ts';

describe('a store that is still coming up', () => {
  let now: number;
  let reported: string[];
  beforeEach(() => {
    [now, reported] = [0, []];
  });
  /** A store that responds at `readyAt`, ms; every sleep is over at once. */
  const opened = (readyAt: number, waitMs: number, fault: Error = new StoreUnavailable('not yet')) => {
    const world = {
      monotonic: () => now,
      sleep: async (ms: number) => {
        now += ms;
      },
    };
    const wait = { ms: waitMs, signal: new AbortController().signal };
    return waitForStore('event store', wait, { world, report: (told) => reported.push(String(told)) }, async () => {
      if (now < readyAt) throw fault;
      return { close: async () => undefined };
    });
  };
  const faultOf = (opening: Promise<unknown>): Promise<unknown> => opening.catch((fault: unknown) => fault);

  it('is waited for, and people hear of it', async () => {
    expect(await opened(9_000, 30_000)).to.have.property('close');
    expect(reported.join()).to.include('The event store does not respond yet');
  });

  it('is not waited for any longer than it may take, nor where no time is given', async () => {
    expect(await faultOf(opened(60_000, 30_000))).to.be.instanceOf(StoreUnavailable);
    expect(now).to.be.within(30_000, 35_000);
    expect(await faultOf(opened(60_000, 0))).to.be.instanceOf(StoreUnavailable);
  });

  it('is not tried again after any other fault', async () => {
    expect(await faultOf(opened(9_000, 30_000, new TypeError('a defect')))).to.be.instanceOf(TypeError);
    expect(now).to.be.at.most(2_000);
  });
});

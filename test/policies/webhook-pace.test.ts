// The pace of calls to one receiver: it rises with what the receiver takes, and falls with what it does not.
import { expect } from 'chai';
import { Pace } from '../../src/policies/webhook-lane.ts';

describe('the pace of an endpoint', () => {
  let now: number;
  let pace: Pace;
  const hears = (times: number, isTaken: boolean, tookMs = 20): void => {
    for (let made = 0; made < times; made += 1) pace.heard(isTaken, tookMs);
  };
  beforeEach(() => {
    now = 1_000;
    pace = new Pace({ now: () => now });
  });

  it('is one call at a time until the receiver has taken one', () => {
    expect(pace.atOnce).to.equal(1);
    hears(1, true);
    expect(pace.atOnce).to.equal(17);
  });

  it('rises by one with each message that was taken, up to 64', () => {
    const seen = Array.from({ length: 60 }, () => {
      hears(1, true);
      return pace.atOnce;
    });
    expect(seen.slice(0, 3)).to.deep.equal([17, 18, 19]);
    expect(seen.at(-1)).to.equal(64);
  });

  it('does not rise with a receiver that takes its time', () => {
    hears(20, true, 1_500);
    expect(pace.atOnce).to.equal(16);
  });

  it('is halved by a message that was not taken, and is one call at a time after three in a row', () => {
    hears(60, true);
    hears(1, false);
    expect(pace.atOnce).to.equal(32);
    hears(1, true);
    expect(pace.atOnce).to.equal(33);
    hears(3, false);
    expect(pace.atOnce).to.equal(1);
  });

  it('goes on from where it fell to when the receiver takes messages again', () => {
    hears(60, true);
    hears(6, false);
    hears(1, true);
    expect(pace.atOnce).to.equal(2);
  });

  it('rests after three in a row that were not taken, each time twice as long, up to 5 s', () => {
    const rests: number[] = [];
    hears(2, false);
    expect(pace.restMs).to.equal(0);
    for (let made = 0; made < 9; made += 1) {
      hears(1, false);
      rests.push(pace.restMs);
      now += pace.restMs;
    }
    expect(rests).to.deep.equal([50, 100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000]);
    hears(1, true);
    expect(pace.restMs).to.equal(0);
  });
});

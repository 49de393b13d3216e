// The progress of long work: events are counted as events, even if a log counts its positions in bytes.
import { expect } from 'chai';
import { showOn } from '../../src/cli/admin/rebuild.ts';
import { type About, lines, totalBy } from '../../src/cli/progress.ts';
import { calmWorld } from '../support/calm-world.ts';

describe('the progress of long work', () => {
  it('of a rebuild is in events, out of about as many as the log’s bytes let expect', () => {
    const shown: (readonly [number, number | About, string | undefined])[] = [];
    const tell = showOn({ update: (done, total, step) => void shown.push([done, total, step]) });
    tell({ step: 'building', events: 500, position: 350_122n, head: 700_245n });
    tell({ step: 'building', events: 990, position: 700_245n, head: 700_245n });
    tell({ step: 'building', events: 991, position: 700_945n, head: 700_245n });
    tell({ step: 'joining', events: 0, position: -1n, head: -1n });
    expect(shown).to.deep.equal([
      [500, { about: 1_000 }, 'building'],
      [990, 990, 'building'],
      [991, 991, 'building'],
      [0, 0, 'joining'],
    ]);
  });

  it('never expects less than there is', () => {
    expect(totalBy(7, 0)).to.deep.equal({ about: 7 });
    expect(totalBy(7, 0.999)).to.deep.equal({ about: 7 });
    expect(totalBy(7, 1)).to.equal(7);
  });

  it('says “about” of a total that is not counted', () => {
    let now = 0;
    const told: string[] = [];
    const { write } = process.stderr;
    process.stderr.write = (text: string | Uint8Array): boolean => told.push(String(text)) > 0;
    try {
      const progress = lines('payments', 'events', { ...calmWorld, monotonic: () => now });
      now = 10_000;
      progress.update(500, { about: 1_000 }, 'building');
      now = 20_000;
      progress.update(1_000, 1_000, 'building');
    } finally {
      process.stderr.write = write;
    }
    expect(told).to.deep.equal([
      'payments building: 500 of about 1000 events, 50/s, 10 s left\n',
      'payments building: 1000 of 1000 events, 50/s, 0 s left\n',
    ]);
  });
});

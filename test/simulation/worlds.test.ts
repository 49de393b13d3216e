// Worlds on several cores: the same outcomes in the same order as on one, and the lowest broken number ends them.
import { expect } from 'chai';
import type { Variant } from './variant.ts';
import { SOUND } from './variant.ts';
import { VARIANTS } from './variants.ts';
import { runWorlds, type WantedWorlds } from './worlds.ts';

interface Told {
  readonly seed: string;
  readonly payments: number;
  readonly digest: string;
  readonly violations: readonly string[];
}

const told = async (wanted: Omit<WantedWorlds, 'seed' | 'kind'>): Promise<readonly Told[]> => {
  const all: Told[] = [];
  await runWorlds({ seed: 'worlds', kind: 'sandbox', ...wanted }, (world, { digest, violations }) =>
    all.push({ ...world, digest, violations }),
  );
  return all;
};

describe('simulated worlds', () => {
  it('give the same digests in the same order on one core and on three', async () => {
    const wanted = { payments: 65, world: 15, variant: SOUND, keepGoing: false };
    const one = await told({ ...wanted, cores: 1 });
    expect(one.map(({ seed, payments }) => [seed, payments])).to.deep.equal([
      ['worlds.0', 15],
      ['worlds.1', 15],
      ['worlds.2', 15],
      ['worlds.3', 15],
      ['worlds.4', 5],
    ]);
    expect(new Set(one.map(({ digest }) => digest)).size).to.equal(5);
    expect(await told({ ...wanted, cores: 3 })).to.deep.equal(one);
  });

  it('end at the lowest number that broke a promise, on any number of cores', async () => {
    const wanted = { payments: 1_200, world: 30, variant: broken(), keepGoing: false };
    const one = await told({ ...wanted, cores: 1 });
    expect(one.map(({ violations }) => violations.length > 0)).to.deep.equal([...one.slice(1).map(() => false), true]);
    expect(await told({ ...wanted, cores: 3 })).to.deep.equal(one);
  });

  it('go on after a broken promise where that is wanted', async () => {
    const all = await told({ payments: 180, world: 30, variant: broken(), cores: 2, keepGoing: true });
    expect(all.map(({ seed }) => seed)).to.deep.equal([
      'worlds.0',
      'worlds.1',
      'worlds.2',
      'worlds.3',
      'worlds.4',
      'worlds.5',
    ]);
    const first = all.findIndex(({ violations }) => violations.length > 0);
    expect(first).to.be.within(0, 4);
  });
});

function broken(): Variant {
  const [variant] = VARIANTS;
  if (variant === undefined) throw new Error('there are variants');
  return variant;
}

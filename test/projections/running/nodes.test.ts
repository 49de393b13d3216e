// Signs of life of the processes that work on one store.
import { expect } from 'chai';
import { Nodes } from '../../../src/projections/running/nodes.ts';
import { memoryReadModels } from '../../../src/stores/memory/read-models.ts';
import type { ReadModels } from '../../../src/stores/read-models.ts';
import { type MovableWorld, movableWorld } from '../../support/test-world.ts';
import { until } from '../../support/until.ts';

describe('the signs of life of processes', () => {
  let readModels: ReadModels;
  const faults: unknown[] = [];
  beforeEach(() => {
    readModels = memoryReadModels();
  });
  afterEach(() => expect(faults).to.deep.equal([]));

  const node = (
    name: string,
    { leading = false, world = movableWorld() }: { leading?: boolean; world?: MovableWorld } = {},
  ): Nodes =>
    new Nodes({
      readModels,
      world,
      report: (fault) => void faults.push(fault),
      self: { name, version: '1.2.3' },
      isLeading: () => leading,
    });
  const started = (nodes: Nodes): (() => Promise<void>) => {
    const ending = new AbortController();
    const work = nodes.run(ending.signal);
    return async () => {
      ending.abort();
      await work;
    };
  };
  const namesIn = async (nodes: Nodes): Promise<readonly string[]> => (await nodes.list()).map(({ name }) => name);

  it('name every process, the one that is asked first, and the one that leads', async () => {
    const [one, other] = [node('one', { leading: true }), node('other')];
    const stops = [started(one), started(other)];
    await until(async () => (await other.list()).length === 2 && (await one.list()).length === 2);
    expect(
      (await other.list()).map(({ name, version, leading, isThis }) => ({ name, version, leading, isThis })),
    ).to.deep.equal([
      { name: 'other', version: '1.2.3', leading: false, isThis: true },
      { name: 'one', version: '1.2.3', leading: true, isThis: false },
    ]);
    await Promise.all(stops.map((stop) => stop()));
  });

  it('end with a process that stops', async () => {
    const [one, other] = [node('one'), node('other')];
    const [stopOne, stopOther] = [started(one), started(other)];
    await until(async () => (await namesIn(one)).includes('other'));
    await stopOther();
    expect(await namesIn(one)).to.deep.equal(['one']);
    await stopOne();
  });

  it('are missed for a minute, by the clock of the process that looks, before a paused one is left out', async () => {
    const [world, paused] = [movableWorld(), movableWorld()];
    const one = node('one', { world });
    const never = new Promise<void>(() => undefined);
    paused.sleep = () => never;
    void node('paused', { world: paused }).run(new AbortController().signal);
    await until(async () => (await namesIn(one)).includes('paused'));
    world.pass(59_000);
    expect((await one.list()).map(({ name, silentMs }) => [name, silentMs >= 59_000])).to.deep.equal([
      ['one', false],
      ['paused', true],
    ]);
    world.pass(1_000);
    expect(await namesIn(one)).to.deep.equal(['one']);
  });
});

// Watchers around adapters: none, one, and two that see the same.
import { expect } from 'chai';
import type { Adapters } from '../../src/adapters.ts';
import type { Observer } from '../../src/observer.ts';
import type { Processor } from '../../src/processors/processor.ts';
import { openMemoryEventStore } from '../../src/stores/memory/event-store.ts';
import { memoryReadModels } from '../../src/stores/memory/read-models.ts';
import { aroundRequests, observed, type Watcher } from '../../src/telemetry/observed.ts';
import { calmWorld } from '../support/calm-world.ts';
import { memoryStores } from '../support/node.ts';

describe('watchers', () => {
  const seen: string[] = [];
  let adapters: Adapters;
  beforeEach(async () => {
    seen.length = 0;
    const { sandbox } = await memoryStores();
    const processors = new Map<string, Processor>([[sandbox.name, sandbox]]);
    adapters = { events: openMemoryEventStore(), readModels: memoryReadModels(), processors, world: calmWorld, report: () => undefined };
  });

  const observer = (name: string): Observer => ({
    async transact(stream, work) {
      seen.push(`${name} transacts ${stream}`);
      return work();
    },
    decidesAgain: (category) => void seen.push(`${name} decides on ${category} again`),
    givesUp: (category) => void seen.push(`${name} gives ${category} up`),
    circuit: (processor, isOpen) => void seen.push(`${name} sees the circuit of ${processor} ${isOpen ? 'open' : 'closed'}`),
    limited: (limit) => void seen.push(`${name} sees ${limit} refuse`),
    async project(projection, events, work) {
      seen.push(`${name} projects ${events} of ${projection}`);
      await work();
    },
  });
  const watcher = (name: string): Watcher => ({
    events: (store) => ({
      append: (stream, after, events) => {
        seen.push(`${name} appends`);
        return store.append(stream, after, events);
      },
      read: (stream, after) => store.read(stream, after),
      follow: (after, categories, signal) => store.follow(after, categories, signal),
      head: () => store.head(),
      close: () => store.close(),
    }),
    processor: (processor) => ({ ...processor, name: `${name} ${processor.name}` }),
    requests: async (_ctx, next) => {
      seen.push(`${name} is asked`);
      await next();
    },
    observer: observer(name),
  });

  it('are not there when nobody wants them: the adapters stay what they are', () => {
    expect(observed(adapters, [])).to.equal(adapters);
    expect(aroundRequests([])).to.deep.equal([]);
  });

  it('see every append and every processor, the last one outermost', async () => {
    const { events, processors } = observed(adapters, [watcher('first'), watcher('second')]);
    await events.append('a-1', -1, []).catch(() => undefined);
    expect(seen).to.deep.equal(['second appends', 'first appends']);
    expect([...processors.values()].map(({ name }) => name)).to.deep.equal(['second first sandbox']);
    expect([...processors.keys()]).to.deep.equal(['sandbox']);
  });

  it('both hear of the same work, and it is done once', async () => {
    const both = observed(adapters, [watcher('first'), watcher('second')]).observer;
    let done = 0;
    const result = await both?.transact('a-1', async () => {
      done += 1;
      return { kind: 'written' };
    });
    both?.decidesAgain('a');
    both?.givesUp('a');
    both?.circuit('sandbox', true);
    both?.limited('declines-per-card');
    await both?.project('as', 2, async () => {
      done += 1;
    });
    expect([result, done]).to.deep.equal([{ kind: 'written' }, 2]);
    expect(seen.toSorted()).to.deep.equal(
      ['first', 'second'].flatMap((name) => [
        `${name} decides on a again`,
        `${name} gives a up`,
        `${name} projects 2 of as`,
        `${name} sees declines-per-card refuse`,
        `${name} sees the circuit of sandbox open`,
        `${name} transacts a-1`,
      ]),
    );
  });
});

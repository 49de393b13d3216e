// The golden log: what was ever written is read, folded and projected as before, or somebody said on purpose that it is
// not.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { FOLDS } from '../../src/queries/replay-stream.ts';
import type { StoredEvent } from '../../src/stores/event-store.ts';
import { ROOT } from '../support/root.ts';
import { missing, unrecorded, unversioned } from './compare.ts';
import { type Digests, digestsOf, readDigests } from './digests.ts';
import { goldenEvents, readGoldenLog } from './golden-log.ts';
import { allScenarios } from './scenarios/all.ts';

describe('The golden log', () => {
  let text: string;
  let events: readonly StoredEvent[];
  let recorded: Digests;
  before(async () => {
    text = await readGoldenLog();
    events = goldenEvents(text);
    recorded = await readDigests();
  });

  it('has every type of event of every category, in all its versions', () => {
    expect(missing(events).map(({ words }) => words)).to.deep.equal([]);
    const domain = join(ROOT, 'src/domain');
    const files = readdirSync(domain, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
    const categories = files.filter((path) => /= category\(/.test(readFileSync(join(domain, path), 'utf8')));
    expect(FOLDS.size, 'a category that src/queries/replay-stream.ts does not know').to.equal(categories.length);
  });

  it('is read, folded and projected to the digests on record', () => {
    const now = digestsOf(events);
    expect([...unversioned(recorded, now), ...unrecorded(recorded, now)]).to.deep.equal([]);
  });

  it('has each scenario as it was written: a changed one needs a stream of its own', () => {
    for (const { stream, lines } of allScenarios) {
      const written = events.filter((stored) => stored.stream === stream).map(({ data }) => data);
      expect(
        lines().map(({ data }) => data),
        `change the id of the scenario ${stream}, and run \`npm run golden\``,
      ).to.deep.equal(written);
    }
  });

  it('shows an event whose text was altered', () => {
    const altered = text.replace('acc_golden', 'acc_altered');
    expect(() => goldenEvents(altered)).to.throw('previousHash');
  });

  describe('says what to do', () => {
    const other = { version: 7, digest: 'other' };
    const one: Digests = { events: { 'a B': other }, folds: { 'a-1': 'x' }, readModels: { accounts: other } };
    const now: Digests = {
      events: { 'a B': { version: 7, digest: 'new' } },
      folds: { 'a-1': 'y' },
      readModels: { accounts: { version: 7, digest: 'new' } },
    };

    it('when an event or a read model changes without its version', () => {
      const [event = '', readModel = '', ...others] = unversioned(one, now);
      expect(event).to.match(/^The schema of the event a B has changed, and its version is still 7: add an upcaster/);
      expect(readModel).to.match(
        /^The documents of the read model accounts have changed, and its version is still 7: raise it/,
      );
      expect(others).to.deep.equal([]);
      const raised = { version: 8, digest: 'new' };
      expect(unversioned(one, { ...now, events: { 'a B': raised }, readModels: { accounts: raised } })).to.deep.equal(
        [],
      );
    });

    it('when an event is gone', () => {
      expect(unversioned(one, { ...one, events: {} })).to.deep.equal([
        'The event a B is gone, and logs hold it: bring it back.',
      ]);
    });

    it('when a change is not recorded', () => {
      expect(unrecorded(one, one)).to.deep.equal([]);
      const told = unrecorded(one, now);
      expect(told).to.have.length(3);
      for (const sentence of told) expect(sentence).to.contain('If that is on purpose, run `npm run golden`.');
    });

    it('when a type of event is missing', () => {
      const [first] = missing(events.filter(({ type }) => type !== 'AccountCreated'));
      expect(first?.words).to.match(/^The golden log has no account AccountCreated of version 1: run `npm run golden`/);
    });
  });
});

// Every shape of find that the service asks, held against the declared indexes: equality, then the range on the key
// that orders it.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../support/root.ts';
import { FINDS } from '../support/service-finds.ts';
import { shapeRecorder } from '../support/shape-recorder.ts';

/** Conditions that are checked row by row, by read model and key, and why each passes over few rows. */
const BESIDE: Readonly<Record<string, string>> = {
  'client-sessions endsAt':
    'of open sessions nearly all have not ended; of those older than a session’s shortest life nearly all have',
  'payments processor':
    'a name that a processor gave is of one payment; after an outage what is due is of the processor that was out',
  'payments accountId': 'the same',
  'disputes currencyCode': 'accounts have few disputes, in few currencies',
  'webhook-queues accountId': 'an endpoint and a payment are of one account',
  'webhook-queues endpointId': 'a payment has one queue for each endpoint',
  'webhook-endpoints enabled': 'accounts have few endpoints',
};

/**
 * Files that read small collections whole, or walk through a large one for a command that takes as long as it is large.
 */
const WHOLE: readonly string[] = [
  'cli/admin/accounts.ts',
  'cli/admin/connections.ts',
  'cli/admin/incoming-webhooks.ts',
  'cli/admin/keys.ts',
  'cli/admin/users.ts',
  'cli/demo/service-for-demo.ts',
  'cli/named.ts',
  'projections/engine/log/documents-at.ts',
  'queries/books/payments-at.ts',
  'queries/ledger/compare-ledger.ts',
];

const FINDS_SOMETHING = /\b(?:readModels|ReadModels|finds|models)\.find\(|\ballOf\(/;
const PASSES_ON: readonly string[] = [
  'queries/pages.ts',
  'projections/engine/health/used-read-models.ts',
  'projections/engine/routed-read-models.ts',
];

describe('The shape of every find', () => {
  it('is among those that are held against the indexes', () => {
    const src = join(ROOT, 'src');
    const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
      (file) => file.endsWith('.ts') && !file.startsWith('stores'),
    );
    const finding = files.filter((file) => FINDS_SOMETHING.test(readFileSync(join(src, file), 'utf8')));
    const known = [...Object.keys(FINDS), ...WHOLE, ...PASSES_ON];
    expect(finding.filter((file) => !known.includes(file))).to.deep.equal([]);
    expect(known.filter((file) => !files.includes(file))).to.deep.equal([]);
  });

  for (const [file, ask] of Object.entries(FINDS))
    it(`of ${file} goes along one index: equal keys, then the key of its order, with its range`, async () => {
      const recorder = shapeRecorder();
      await ask(recorder);
      expect(recorder.shapes.size).to.be.greaterThan(0);
      for (const { text, model, index, beside } of recorder.shapes.values()) {
        const unexcused = beside.filter((key) => !(`${model} ${key}` in BESIDE));
        expect(unexcused, `${text} along ${index}`).to.deep.equal([]);
        if (text !== `${model}()`) expect(index, text).not.to.equal(undefined);
      }
    });
});

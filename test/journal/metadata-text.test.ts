// Members of an event's metadata, read from its text: whatever the other members hold, parsing would say the same.
import { expect } from 'chai';
import fc from 'fast-check';
import { endsInPreviousHash, numberIn, textIn, versionAtEnd } from '../../src/journal/metadata-text.ts';

const awkward = fc.oneof(
  fc.string(),
  fc.constantFrom(
    '"recordedAt":7,',
    '","recordedAt":7,"x":"',
    '\\"schemaVersion":9}',
    '{"schemaVersion":1}',
    'recordedAt":1,',
  ),
);

describe('a number in the text of metadata', () => {
  it('equals the result of parsing, whatever the texts beside it hold', () => {
    fc.assert(
      fc.property(
        fc.nat({ max: Number.MAX_SAFE_INTEGER }),
        fc.integer({ min: 1, max: 99 }),
        awkward,
        awkward,
        (at, version, one, other) => {
          const text = JSON.stringify({
            accountId: one,
            actor: { kind: one, id: other },
            recordedAt: at,
            [other]: one,
            schemaVersion: version,
          });
          const parsed = JSON.parse(text);
          for (const name of ['recordedAt', 'schemaVersion'] as const) {
            const found = numberIn(text, name);
            if (found !== undefined) expect(found).to.equal(parsed[name]);
            else expect([one, other]).to.include(name); // a member of that name makes it ambiguous
          }
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('is left to parsing when it is missing, there twice, or no natural number', () => {
    const nested = '{"actor":{"recordedAt":5},"recordedAt":6}';
    for (const text of [
      '{}',
      nested,
      '{"recordedAt":-1}',
      '{"recordedAt":1.5}',
      '{"recordedAt":"1"}',
      '{"recordedAt":1e3}',
      '{"recordedAt":',
    ]) {
      expect(numberIn(text, 'recordedAt'), text).to.equal(undefined);
    }
    expect(numberIn('{"recordedAt":9007199254740993}', 'recordedAt'), 'beyond what a number holds').to.equal(undefined);
  });
});

describe('a text in the text of metadata', () => {
  it('equals the result of parsing, whatever is next to it', () => {
    fc.assert(
      fc.property(awkward, awkward, awkward, (previousHash, one, other) => {
        const text = JSON.stringify({
          operationId: one,
          [other]: one,
          actor: { id: other },
          previousHash,
          schemaVersion: 1,
        });
        const found = textIn(text, 'previousHash');
        if (found !== undefined) expect(found).to.equal(JSON.parse(text).previousHash);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is found once, also at the beginning, and else left to parsing', () => {
    expect(textIn('"previousHash":"0a"', 'previousHash')).to.equal('0a');
    expect(textIn('{"previousHash":"","schemaVersion":1}', 'previousHash')).to.equal('');
    for (const text of [
      '{}',
      '{"previousHash":"a\\nb"}',
      '{"previousHash":"a',
      '{"actor":{"previousHash":"a"},"previousHash":"b"}',
    ])
      expect(textIn(text, 'previousHash'), text).to.equal(undefined);
  });
});

describe('the end of the text of metadata', () => {
  const hash = fc.oneof(fc.constant(''), fc.constant('0a'.repeat(32)), fc.constant('0a'.repeat(31)));
  const version = fc.oneof(
    fc.integer({ min: 0, max: 120 }),
    fc.constantFrom('1', 1.5, null, [1], { schemaVersion: 1 }),
  );

  it('finds version and hash as parsing does, whatever precedes them', () => {
    fc.assert(
      fc.property(
        awkward,
        awkward,
        version,
        hash,
        fc.boolean(),
        (one, other, schemaVersion, previousHash, isNested) => {
          const members = { [other]: one, operationId: one, schemaVersion, previousHash };
          const text = JSON.stringify(
            isNested ? { schemaVersion: 3, previousHash: one, actor: members } : { accountId: one, ...members },
          );
          const parsed = JSON.parse(text);
          const found = versionAtEnd(text);
          if (found !== undefined) expect(found).to.equal(parsed.schemaVersion);
          if (endsInPreviousHash(text, previousHash)) expect(parsed.previousHash).to.equal(previousHash);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('is found where the envelope wrote it', () => {
    for (const previousHash of ['', '0a'.repeat(32)]) {
      const text = JSON.stringify({ operationId: 'op_1', schemaVersion: 2, previousHash });
      expect([versionAtEnd(text), endsInPreviousHash(text, previousHash)]).to.deep.equal([2, true]);
      expect(endsInPreviousHash(text, '0b'.repeat(32))).to.equal(false);
    }
  });
});

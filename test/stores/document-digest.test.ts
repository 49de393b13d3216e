// The digest of a set of documents: the same in any order, another for any change.
import { expect } from 'chai';
import { Digest } from '../../src/stores/document-digest.ts';

const documents = ['a', 'b', 'c'].map((id, revision) => ({ id, revision, text: `{"n":${revision}}` }));
const digestOf = (all: typeof documents): string => {
  const digest = new Digest();
  for (const one of all) digest.add(one);
  return String(digest);
};

describe('a digest of documents', () => {
  it('does not depend on their order', () => expect(digestOf(documents.toReversed())).to.equal(digestOf(documents)));
  it('is another for another id, revision or text', () => {
    const [first, ...rest] = documents;
    if (first === undefined) throw new Error('no documents');
    for (const changed of [
      { ...first, id: 'd' },
      { ...first, revision: 9 },
      { ...first, text: '{"n":1}' },
    ]) {
      expect(digestOf([changed, ...rest])).not.to.equal(digestOf(documents));
    }
  });
  it('is as if one had never been there when it is taken back', () => {
    const digest = new Digest();
    for (const one of [...documents, ...documents.slice(1)]) digest.add(one);
    for (const one of documents.slice(1)) digest.remove(one);
    expect([String(digest), digest.documents]).to.deep.equal([digestOf(documents), 3]);
  });
  it('is another when one is there twice, or missing', () => {
    expect(digestOf([...documents, ...documents])).not.to.equal(digestOf(documents));
    expect(digestOf(documents.slice(1))).not.to.equal(digestOf(documents));
  });
  it('is of 64 hex characters, and counts', () => {
    const digest = new Digest();
    expect(String(digest)).to.equal('0'.repeat(64));
    for (const one of documents) digest.add(one);
    expect(digest.documents).to.equal(3);
  });
});

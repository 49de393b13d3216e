// The guide to proofs is enough to write a verifier: the one here knows nothing but the guide, and takes its vector.
import { createHash, createPublicKey, verify } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { z } from 'zod';
import { leafHash, MerkleTree } from '../../src/audit/merkle-tree.ts';
import { hashOf } from '../../src/journal/envelope.ts';
import { reportOn } from '../../src/verify/verify.ts';
import { ROOT } from '../support/root.ts';

const Vector = z.strictObject({
  format: z.literal('counterfoil-proof-1'),
  paymentId: z.string(),
  checkpoint: z.strictObject({
    format: z.literal('counterfoil-checkpoint-1'),
    storeId: z.string(),
    treeSize: z.int(),
    root: z.string(),
    position: z.string(),
    madeAt: z.string(),
    publicKey: z.string(),
    signature: z.string(),
    extends: z.strictObject({ treeSize: z.int(), root: z.string(), path: z.array(z.string()) }),
  }),
  streams: z.array(
    z.strictObject({
      stream: z.string(),
      events: z.array(
        z.strictObject({
          revision: z.int(),
          id: z.string(),
          type: z.string(),
          data: z.string(),
          metadata: z.string(),
          index: z.int(),
          path: z.array(z.string()),
        }),
      ),
    }),
  ),
});
type Vector = z.output<typeof Vector>;

const sha256 = (...parts: readonly (string | Buffer)[]): Buffer =>
  parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest();
const nodeOf = (left: Buffer, right: Buffer): Buffer => sha256(Buffer.of(1), left, right);
const bytes = (hex: string): Buffer => Buffer.from(hex, 'hex');
/** As many leaves as the left child of a tree of n has. */
const leftOf = (n: number): number => 2 ** Math.ceil(Math.log2(n) - 1);

/** The root that a path leads to; the last hash of the path is the sibling below the root. */
function rootBy(leaf: Buffer, index: number, size: number, path: readonly string[]): Buffer {
  if (size === 1) return leaf;
  const [left, sibling, below] = [leftOf(size), bytes(path.at(-1) ?? ''), path.slice(0, -1)];
  return index < left
    ? nodeOf(rootBy(leaf, index, left, below), sibling)
    : nodeOf(sibling, rootBy(leaf, index - left, size - left, below));
}

/** True if the guide's verifier accepts the proof. */
function accepts({ paymentId, checkpoint, streams }: Vector, publicKey: string): boolean {
  const { storeId, treeSize, root, position, madeAt, signature } = checkpoint;
  const signed = [checkpoint.format, storeId, treeSize, root, position, madeAt].map((line) => `${line}\n`).join('');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: publicKey }, format: 'jwk' });
  if (!verify(null, Buffer.from(signed), key, Buffer.from(signature, 'base64url'))) return false;
  return (
    streams[0]?.stream === `payment-${paymentId}` &&
    streams.every(({ stream, events }) => {
      let [previous, before] = ['', -1];
      return events.every(({ revision, id, type, data, metadata, index, path }, place) => {
        const hash = sha256(`${id}\n${type}\n${data}\n${metadata}`).toString('hex');
        const leaf = sha256(Buffer.of(0), `${stream}\n${revision}\n${hash}`);
        const named: unknown = z.looseObject({ previousHash: z.string() }).parse(JSON.parse(metadata)).previousHash;
        const isInOrder = revision === place && index > before && named === previous;
        [previous, before] = [hash, index];
        return isInOrder && rootBy(leaf, index, treeSize, path).equals(bytes(root));
      });
    })
  );
}

describe('the format of proofs in its guide', () => {
  let guide: string;
  let vector: Vector;
  before(async () => {
    guide = await readFile(join(ROOT, 'docs/guides/proofs.md'), 'utf8');
    vector = Vector.parse(JSON.parse(/```json\n(.*?)```/s.exec(guide)?.[1] ?? ''));
  });

  it('has a vector that a verifier by the guide accepts, and refuses with any text of it changed', () => {
    const { publicKey } = vector.checkpoint;
    expect(accepts(vector, publicKey)).to.equal(true);
    const [{ stream = '', events = [] } = {}] = vector.streams;
    for (const [n, event] of events.entries())
      for (const changed of [
        { ...event, data: `${event.data} ` },
        { ...event, type: 'Another' },
        { ...event, path: event.path.toReversed().map((hash) => hash.replace(/^./, 'f')) },
        { ...event, revision: event.revision + 1 },
      ]) {
        const streams = [{ stream, events: events.with(n, changed) }];
        expect(accepts({ ...vector, streams }, publicKey), JSON.stringify(changed)).to.equal(false);
      }
    const checkpoint = { ...vector.checkpoint, position: '3' };
    expect(accepts({ ...vector, checkpoint }, publicKey)).to.equal(false);
  });

  it('has the vector that the service makes of these three events', async () => {
    const { checkpoint, streams } = vector;
    const said = (name: string): string => new RegExp(`its ${name} \`([^\`]+)\``).exec(guide)?.[1] ?? '';
    const first = {
      id: checkpoint.storeId,
      type: said('type'),
      data: said('data'),
      metadata: said('metadata'),
    };
    expect(hashOf(first)).to.equal(said('hash'));
    const tree = new MerkleTree();
    tree.add(leafHash('store-0', 0, hashOf(first)));
    expect(tree.root()).to.equal(/leaf hashes to `([^`]+)`/.exec(guide)?.[1]);
    const paths: (readonly string[])[] = [];
    let older = '';
    let extended: readonly string[] = [];
    for (const { stream, events } of streams)
      for (const event of events) {
        paths.push(tree.addTracked(leafHash(stream, event.revision, hashOf(event))));
        if (tree.size !== checkpoint.extends.treeSize) continue;
        older = tree.root();
        extended = tree.trackSize();
      }
    expect(tree.root()).to.equal(checkpoint.root);
    tree.end();
    expect(paths).to.deep.equal(streams.flatMap(({ events }) => events.map(({ path }) => path)));
    expect([older, extended]).to.deep.equal([checkpoint.extends.root, checkpoint.extends.path]);
    const { verdict, open } = await reportOn({ file: vector, keys: [checkpoint.publicKey], payment: vector.paymentId });
    expect(verdict.isGood).to.equal(true);
    expect(open.join(' ')).to.include('The key that the file names (publicKey) is not signed.');
  });
});

// Rows of a new generation as bytes: what was packed is unpacked, whatever letters and keys it has.
import { expect } from 'chai';
import { packedRows, RowPacker, unpacked } from '../../src/stores/packed-rows.ts';
import type { BuiltRow } from '../../src/stores/read-models.ts';

const rows: readonly BuiltRow[] = [
  { id: 'a', revision: 0, text: '{}', keys: [] },
  {
    id: 'é|😀',
    revision: 7,
    text: JSON.stringify({ name: 'Ünïcode 😀 "quoted" \u0000' }),
    keys: ['ü', undefined, 0, 1.5, true, false, ''],
  },
  { id: 'long', revision: 2 ** 40, text: JSON.stringify('ä'.repeat(2_000_000)), keys: [undefined] },
];

describe('packed rows', () => {
  it('are the rows that were packed, and hash as texts do', () => {
    const packer = new RowPacker();
    for (const row of rows) {
      const { id, revision, text } = row;
      expect(Buffer.from(packer.add(row)).toString()).to.equal(`${id}\n${revision}\n${text}`);
    }
    expect(packer.rows).to.equal(3);
    expect(packer.bytes).to.be.above(4_000_000);
    expect(unpacked(packer.pack())).to.deep.equal(rows);
  });

  it('start again after each packing', () => {
    const packer = new RowPacker();
    expect(packedRows(packer.pack())).to.deep.equal([]);
    for (const row of rows) {
      packer.add(row);
      expect(unpacked(packer.pack())).to.deep.equal([row]);
    }
    expect([packer.rows, packer.bytes]).to.deep.equal([0, 0]);
  });
});

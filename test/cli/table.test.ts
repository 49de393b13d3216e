import { expect } from 'chai';
import { list, table, wrappedTable } from '../../src/cli/table.ts';

describe('tables', () => {
  it('align their columns and end no line with spaces', () => {
    expect(
      table(
        ['id', 'name'],
        [
          ['a', 'long name'],
          ['long id', ''],
        ],
      ),
    ).to.equal('ID       NAME\na        long name\nlong id');
  });

  it('have headings even when they are empty', () => {
    expect(table(['id'], [])).to.equal('ID');
  });

  it('go on below where the last column does not fit, with no line broken inside a word', () => {
    const words = `${'word '.repeat(30)}end`;
    const rows = wrappedTable(
      ['id', 'text'],
      [
        ['a', words],
        ['b', 'x'.repeat(150)],
        ['c', ''],
      ],
    ).split('\n');
    expect(rows.map((row) => row.length)).to.deep.equal([8, 118, 42, 154, 1]);
    expect([rows[1], rows[2]].map((row) => row?.slice(4)).join(' ')).to.equal(words);
    expect(wrappedTable(['a'.repeat(200), 'text'], [['x', 'one two']])).to.match(/^x +one two$/m);
  });

  it('keep what was stored from moving the cursor or breaking a line', () => {
    expect(table(['id'], [['a\n\u001b[2Jb\u2028c']])).to.equal('ID\na\u{fffd}\u{fffd}[2Jb\u{fffd}c');
    expect(list([['name', 'x\ry']])).to.equal('name  x\u{fffd}y');
  });
});

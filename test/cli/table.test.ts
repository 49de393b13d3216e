import { expect } from 'chai';
import { list, table } from '../../src/cli/table.ts';

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

  it('keep what was stored from moving the cursor or breaking a line', () => {
    expect(table(['id'], [['a\n\u001b[2Jb\u2028c']])).to.equal('ID\na\u{fffd}\u{fffd}[2Jb\u{fffd}c');
    expect(list([['name', 'x\ry']])).to.equal('name  x\u{fffd}y');
  });
});

// Tables that fit a terminal.
import { expect } from 'chai';
import fc from 'fast-check';
import stringWidth from 'string-width';
import { wrapped } from '../../src/cli/lines.ts';
import { coloured } from '../../src/cli/output.ts';
import { list, listing, paragraph, shortId, table, toMinute, toSecond } from '../../src/cli/table.ts';

/** Any text, short or long, with and without spaces, of characters that take two columns, one, or none. */
const awkward = fc
  .array(fc.constantFrom('a', 'word', ' ', '支払い', 'é', '\u001b[2J', '\u202e', '\n', '💳', 'x'.repeat(90)), {
    maxLength: 30,
  })
  .map((parts) => parts.join(''));

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

  it('align characters of two columns, and of none', () => {
    const rows = [
      ['支払い', 'a'],
      ['e\u0301', 'b'],
    ];
    expect(table(['id', 'x'], rows)).to.equal('ID      X\n支払い  a\ne\u0301       b');
  });

  it('stack the columns that do not fit, headings and all, and leave out empty cells of a row', () => {
    const [id, order] = ['i'.repeat(40), 'o'.repeat(50)];
    expect(
      table(
        ['id', 'order', 'note'],
        [
          [id, order, ''],
          ['b', '', ''],
        ],
        80,
      ),
    ).to.equal(`ID\n  ORDER                                               NOTE\n${id}\n  ${order}\nb`);
  });

  it('put a long cell of the last column below its row, broken at spaces where it has some', () => {
    const words = `${'word '.repeat(20)}end`;
    const lines = table(
      ['id', 'text'],
      [
        ['a', words],
        ['b', 'x'.repeat(100)],
        ['c', 'short'],
      ],
      80,
    ).split('\n');
    expect(lines[0]).to.equal('ID  TEXT');
    expect(lines[1]).to.equal('a');
    expect(`${lines[2]} ${lines[3]}`.replaceAll(/ +/g, ' ').trim()).to.equal(words);
    expect(lines.slice(4)).to.deep.equal(['b', `  ${'x'.repeat(78)}`, `  ${'x'.repeat(22)}`, 'c   short']);
  });

  it('use the room of a wide terminal', () => {
    const row = ['i'.repeat(60), 'o'.repeat(60)];
    expect(table(['id', 'order'], [row], 122).split('\n')).to.have.lengthOf(2);
    expect(table(['id', 'order'], [row], 121).split('\n')).to.have.lengthOf(3);
  });

  describe('on a terminal without room for a row on a line', () => {
    const id = (end: string): string => `pay_01a21cbdb4f0061b7589ca93e71${end.padStart(5, '0')}`;
    const drawn = (headings: Parameters<typeof table>[0], rows: readonly string[][], room = 80): string =>
      table(headings, rows, room, true);
    const wide = 'w'.repeat(50);

    it('shorten ids to as many digits as tell them apart', () => {
      const [one, other] = ['pay_01a21cbdb4f0061b7589ca93e7102939', 'pay_01a21cbdb4f1061b7589ca93e7102939'];
      const heads = ['id', 'name', 'state'];
      expect(drawn(heads, [[one, wide, 'new']])).to.contain(`\npay_01a21cbdb4f0  ${wide}  new`);
      expect(
        drawn(
          heads,
          [one, other].map((its) => [its, wide, 'new']),
        ).split('\n'),
      ).to.have.lengthOf(3);
      const alike = [id('00001'), id('10001')].map((its) => [its, 'w', 'new', 'x'.repeat(24), 'y'.repeat(10)]);
      const lines = drawn(['id', 'n', 'state', 'a', 'b'], alike).split('\n').slice(1);
      expect(lines.map((line) => line.split(' ')[0])).to.deep.equal([
        id('00001').slice(0, -4),
        id('10001').slice(0, -4),
      ]);
    });

    it('leave out spare columns, the last one first, and only as many as they have to', () => {
      const heads = ['name', { spare: 'first' }, { spare: 'second' }, 'state'];
      const row = ['n'.repeat(30), 'f'.repeat(20), 's'.repeat(30), 'new'];
      expect(drawn(heads, [row]).split('\n')[0]?.split(/ +/)).to.deep.equal(['NAME', 'FIRST', 'STATE']);
      expect(drawn(heads, [row], 120).split('\n')[0]?.split(/ +/)).to.deep.equal(['NAME', 'FIRST', 'SECOND', 'STATE']);
    });

    it('cut the texts that may be cut, the widest first, at the end that says less', () => {
      const heads = ['name', { cut: 'order', keeps: 'start' }, { cut: 'url', keeps: 'end' }] as const;
      const rows = [['n'.repeat(40), 'o'.repeat(20), `https://shop.example/${'p'.repeat(200)}/hooks`]];
      const [heading, line, ...more] = drawn([...heads], rows).split('\n');
      expect(more).to.deep.equal([]);
      expect(heading).to.match(/^NAME +ORDER +URL$/);
      expect(stringWidth(line ?? '')).to.equal(80);
      expect(line).to.match(/^n{40} {2}o{17,19}… {2}…p+\/hooks$/);
      expect(drawn([...heads], rows, 400)).to.contain('https://shop.example/p');
      expect(table([...heads], rows, 80, false)).to.contain('https://shop.example/p');
    });

    it('stack whole rows with whole ids where even that makes no room', () => {
      const rows = [[id('1'), 'n'.repeat(70), 'on']];
      expect(drawn(['id', 'name', 'state'], rows)).to.equal(table(['id', 'name', 'state'], rows, 80, false));
    });

    it('keep whole ids in pipes, and where there is room', () => {
      const rows = [[id('1'), wide, 'new']];
      expect(table(['id', 'name', 'state'], rows, 80, false)).to.contain(id('1'));
      expect(drawn(['id', 'name', 'state'], rows, 120)).to.contain(id('1'));
    });
  });

  it('mark the words of states alone, which have a colour where stdout takes one', () => {
    const text = table(
      ['state', 'name'],
      [
        ['active', 'active'],
        ['new', '\ufdd1x\ufdd0'],
      ],
    );
    expect(coloured(text)).to.equal('STATE   NAME\nactive  active\nnew     \\ufdd1x\\ufdd0');
    const { FORCE_COLOR, NO_COLOR } = process.env;
    try {
      Object.assign(process.env, { FORCE_COLOR: '1', NO_COLOR: '' });
      delete process.env['NO_COLOR'];
      expect(coloured(text)).to.contain('\u001b[32mactive\u001b[39m  active\nnew  ');
    } finally {
      delete process.env['FORCE_COLOR'];
      if (FORCE_COLOR !== undefined) process.env['FORCE_COLOR'] = FORCE_COLOR;
      if (NO_COLOR !== undefined) process.env['NO_COLOR'] = NO_COLOR;
    }
  });

  it('say in the same words that a list is empty', () => {
    expect(listing('payments', ['id'], [])).to.equal('No payments.');
    expect(listing('payments', ['id'], [['a']])).to.equal('ID\na');
  });

  it('hold every line to 80 columns and escape every invisible character', () => {
    const rows = fc.array(fc.array(awkward, { minLength: 4, maxLength: 4 }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(rows, awkward, (some, text) => {
        const shown = [
          table(['id', 'name', 'content', 'text'], some, 80),
          list(
            [
              ['name', text],
              ['a longer name', some[0]?.[0] ?? ''],
            ],
            80,
          ),
          paragraph(text, 80),
        ];
        for (const line of shown.join('\n').split('\n')) {
          expect(stringWidth(line), line).to.be.at.most(80);
          expect(line).not.to.match(/[\p{Cc}\p{Cf}]/u);
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe('lists of names and values', () => {
  it('go on below the value, and put an id that has no room beside its name whole below it', () => {
    const id = 'i'.repeat(75);
    expect(
      list(
        [
          ['name', 'short'],
          ['attempt', id],
          ['text', `${'word '.repeat(16)}end`],
        ],
        80,
      ),
    ).to.equal(
      `name     short\nattempt\n  ${id}\ntext     ${'word '.repeat(14)}\n         word word end`.replace(
        ' \n         ',
        '\n         ',
      ),
    );
  });
});

describe('sentences on a terminal', () => {
  it('are broken between words, and indented as they begin; a command to type is not broken', () => {
    const types = 'The types are: PAYMENT.STATUS, PAYMENT.REFUND, PAYMENT.CAPTURE.FAILED, PAYMENT.REFUND.FAILED.';
    expect(wrapped(types, 80)).to.equal(types.replace(' PAYMENT.REFUND.FAILED.', '\nPAYMENT.REFUND.FAILED.'));
    expect(wrapped(`  - ${'word '.repeat(20)}end`, 80).split('\n')[1]).to.match(/^ {2}word/);
    const command = `  npx counterfoil-verify proof.json --key ${'k'.repeat(60)} --payment pay_1`;
    expect(wrapped(command, 80)).to.equal(command);
  });
});

describe('the texts that a table shortens', () => {
  it('are ids, to the digits of their time, and times, by their milliseconds or seconds', () => {
    expect(shortId('key_44d78b3ebe669b7591606774e780879c')).to.equal('key_44d78b3ebe66');
    expect(shortId('cli')).to.equal('cli');
    expect([toSecond('2026-01-31T12:00:00.123Z'), toMinute('2026-01-31T12:00:59.123Z')]).to.deep.equal([
      '2026-01-31T12:00:00Z',
      '2026-01-31T12:00Z',
    ]);
  });
});

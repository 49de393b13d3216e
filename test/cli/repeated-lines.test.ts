// Log lines that repeat: written a few times, then counted.
import { expect } from 'chai';
import { type Line, RepeatedLines } from '../../src/cli/log.ts';
import { liveWorld } from '../../src/world.ts';

const lineOf = (message: string, entry: object = {}): Line => ({ level: 'error', entry, message });

describe('lines that repeat', () => {
  let written: Line[];
  let endWindow: () => void;
  const open = (kinds = 100): RepeatedLines => {
    const sleep = (_: number, signal: AbortSignal): Promise<void> =>
      new Promise((resolve, reject) => {
        endWindow = resolve;
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    return new RepeatedLines(
      (line) => void written.push(line),
      { ...liveWorld, sleep },
      { windowMs: 10, lines: 3, kinds },
    );
  };
  const windowOver = async (): Promise<void> => {
    endWindow();
    await new Promise((resolve) => setImmediate(resolve));
  };
  beforeEach(() => {
    written = [];
    endWindow = () => undefined;
  });

  it('are written a few times, then counted, and the last one gives the number of the others', async () => {
    const lines = open();
    for (let request = 0; request < 24_000; request += 1) lines.say(lineOf('outcome not known', { request }));
    expect(written).to.have.lengthOf(3);
    expect(lines.held).to.equal(23_996);
    await windowOver();
    expect(written).to.have.lengthOf(4);
    expect(written.at(-1)).to.deep.equal(lineOf('outcome not known', { request: 23_999, others: 23_996 }));
    expect(lines.held).to.equal(23_996);
    lines.say(lineOf('outcome not known'));
    expect(written).to.have.lengthOf(5);
  });

  it('are told apart by their level, their words and the code of their fault, and not by their data', () => {
    const lines = open();
    for (let times = 0; times < 5; times += 1) {
      lines.say(lineOf('fault', { err: Object.assign(new Error('one'), { code: 'A' }) }));
      lines.say(lineOf('fault', { err: Object.assign(new Error('two'), { code: 'B' }) }));
      lines.say(lineOf('fault', { err: new TypeError('three') }));
      lines.say({ level: 'warn', entry: {}, message: 'fault' });
      lines.say(lineOf('another', { id: times }));
    }
    expect(written).to.have.lengthOf(15);
  });

  it('that are rare are written at once, all of them, and without a count', async () => {
    const lines = open();
    for (const message of ['a', 'b', 'a']) lines.say(lineOf(message));
    await windowOver();
    expect(written.map(({ message }) => message)).to.deep.equal(['a', 'b', 'a']);
    expect(lines.held).to.equal(0);
  });

  it('are told at the end of the process, before their time', () => {
    const lines = open();
    for (let times = 0; times < 5; times += 1) lines.say(lineOf('a'));
    lines.flush();
    expect(written.at(-1)).to.deep.equal(lineOf('a', { others: 1 }));
  });

  it('of more kinds than are told apart are one kind, so that no memory grows with them', () => {
    const lines = open(2);
    for (let kind = 0; kind < 100; kind += 1) lines.say(lineOf(`kind ${kind}`));
    expect(written).to.have.lengthOf(5); // one of each of two kinds, and three of all others
  });
});

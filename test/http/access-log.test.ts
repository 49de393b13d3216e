// The access log: at debug a line for each request, at info a line for each failure and a sample of the rest.
import { expect } from 'chai';
import { accessLog } from '../../src/http/middleware/frame.ts';

interface Line {
  readonly level: string;
  readonly status: number;
  readonly others?: number;
}

function logAt(enabled: readonly string[]) {
  const lines: Line[] = [];
  let now = 12_345;
  const write = (level: string) => (entry: object) => {
    const { status = 0, others }: { status?: number; others?: number } = entry;
    lines.push({ level, status, ...(others !== undefined && { others }) });
  };
  const log = {
    debug: write('debug'),
    info: write('info'),
    error: write('error'),
    isLevelEnabled: (level: string) => enabled.includes(level),
  };
  const tell = accessLog(log, { monotonic: () => now });
  return {
    lines,
    ask: (status: number, times = 1): void => {
      for (let index = 0; index < times; index += 1) tell({ requestId: 'r' }, status, 1);
    },
    pass: (ms: number): void => {
      now += ms;
    },
  };
}

describe('the access log', () => {
  it('has a line for every request at debug, and none above info', () => {
    const all = logAt(['debug', 'info']);
    all.ask(200, 50);
    expect(all.lines).to.deep.equal(Array.from({ length: 50 }, () => ({ level: 'debug', status: 200 })));
    const none = logAt(['error']);
    none.ask(500, 5);
    expect(none.lines).to.deep.equal([]);
  });

  it('has five lines a second for answered requests and five for refused ones, and counts the others', () => {
    const log = logAt(['info']);
    log.ask(200, 100);
    log.ask(404, 7);
    expect(log.lines.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200, 200, 404, 404, 404, 404, 404]);
    log.pass(1_000);
    log.ask(302);
    log.ask(429);
    log.ask(200);
    expect(log.lines.slice(10)).to.deep.equal([
      { level: 'info', status: 302, others: 95 },
      { level: 'info', status: 429, others: 2 },
      { level: 'info', status: 200, others: 0 },
    ]);
  });

  it('has a line for every failure of the service, up to a hundred a second', () => {
    const log = logAt(['info']);
    log.ask(200, 1_000);
    log.ask(503, 150);
    expect(log.lines.filter(({ status }) => status === 503)).to.have.length(100);
    log.pass(1_000);
    log.ask(500);
    expect(log.lines.at(-1)).to.deep.equal({ level: 'info', status: 500, others: 50 });
  });
});

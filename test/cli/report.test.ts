// Faults that no caller can act on, as they get into the log.
import { expect } from 'chai';
import { AppError, Notice } from '../../src/app-error.ts';
import { reportTo } from '../../src/cli/log.ts';
import { StoreUnavailable } from '../../src/stores/store-unavailable.ts';

describe('the report of a fault', () => {
  it('is a line at error level with its fault, and a notice a warning of its words alone', () => {
    const lines: unknown[] = [];
    const report = reportTo({
      warn: (...line: readonly unknown[]) => void lines.push(['warn', ...line]),
      error: (...line: readonly unknown[]) => void lines.push(['error', ...line]),
    });
    const fault = new AppError('Broken', 'It broke.');
    report(fault);
    report(new Notice('Somebody should look.'));
    expect(lines).to.deep.equal([
      ['error', { err: fault }, 'fault'],
      ['warn', 'Somebody should look.'],
    ]);
  });

  it('is one line for an unavailable store, however many callers meet it, until it has been unavailable for a while', () => {
    const lines: string[] = [];
    let now = 0;
    const log = { warn: (line: unknown) => void lines.push(String(line)), error: () => void lines.push('error') };
    const report = reportTo(log, { monotonic: () => now });
    for (const at of [0, 1, 4_999, 5_000, 5_001]) {
      now = at;
      report(new StoreUnavailable(`away for ${at}`, { cause: new Error('why') }));
    }
    expect(lines).to.deep.equal(['away for 0', 'away for 5000']);
  });
});

// How what nobody can act on gets into the log.
import { expect } from 'chai';
import { AppError, Notice } from '../../src/app-error.ts';
import { reportTo } from '../../src/cli/open.ts';

describe('what is reported', () => {
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
});

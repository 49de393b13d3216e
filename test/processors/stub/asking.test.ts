// The stub with an issuer, as any processor that continues by a further call, and broken variants of it.
import { expect } from 'chai';
import type { Processor } from '../../../src/processors/processor.ts';
import { failed, processorConformance, rowsFor } from '../../contract/processor.suite.ts';
import { ASKING, type AskingStub, askingOnTrial } from './asking.ts';
import { performed } from './stub.ts';
import { questionOf } from './wire.ts';

processorConformance('the stub that continues by a further call', ASKING, askingOnTrial());

const BROKEN: { readonly [name: string]: readonly [change: (stub: AskingStub) => Processor, rows: readonly RegExp[]] } =
  {
    'continues before the customer has acted': [
      (stub) => ({
        ...stub,
        resume: async (request, call) =>
          performed(await stub.ask('POST', '/v1/transactions', call, questionOf(request))),
      }),
      [/continues when the customer has acted/, /sends the customer to the issuer/],
    ],
    'takes a continuation without an answer for a refusal': [
      (stub) => ({
        ...stub,
        async resume(request, call) {
          const outcome = await stub.resume(request, call);
          return outcome.kind === 'unknown'
            ? { kind: 'declined', code: 'GENERIC_DECLINE', declineType: 'HARD' }
            : outcome;
        },
      }),
      [/continuation that has no answer/],
    ],
    'continues by another reference each time': [
      (stub) => {
        let sent = 0;
        return {
          ...stub,
          async resume(request, call) {
            const outcome = await stub.resume(request, call);
            sent += 1;
            return outcome.kind === 'succeeded'
              ? stub.perform({ ...request, reference: `${request.reference}x${sent}` }, call)
              : outcome;
          },
        };
      },
      [/continues when the customer has acted/],
    ],
  };

describe('a broken continuation is found that', () => {
  for (const [name, [change, words]] of Object.entries(BROKEN))
    it(name, async () => {
      const rows = rowsFor(ASKING).filter((row) => words.some((word) => word.test(row.name)));
      expect(rows).to.have.length(words.length);
      expect(await failed(rows, askingOnTrial(change))).to.deep.equal(rows.map((row) => row.name));
    });

  it('breaks each row that only such a processor is asked', () => {
    const found = Object.values(BROKEN).flatMap(([, rows]) => rows);
    const own = rowsFor(ASKING).filter(({ needs }) => [needs].flat().includes('resumes'));
    expect(own).to.have.length(2);
    expect(own.filter((row) => !found.some((word) => word.test(row.name)))).to.deep.equal([]);
  });
});

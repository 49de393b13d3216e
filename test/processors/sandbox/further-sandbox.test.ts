// A further sandbox: a connection has tokens, operations, faults and notifications of its own.
import { expect } from 'chai';
import { connectionAt, connectionOf } from '../../../src/processors/connections.ts';
import type { AuthorizationRequest, Call } from '../../../src/processors/processor.ts';
import { memoryStores } from '../../support/node.ts';

const signal = new AbortController().signal;
const first: Call = { connection: connectionAt('sandbox'), signal };
const second: Call = { connection: connectionOf({ processor: 'sandbox', connectionId: 'con_2' }), signal };
const details = { number: '4242424242424242', expirationMonth: '12', expirationYear: '2039', cvc: '123' };

describe('a further sandbox', () => {
  const opened = async () => {
    const { sandbox } = await memoryStores();
    const tokenAt = async (call: Call): Promise<string> => {
      const made = await sandbox.tokenize({ reference: 'pm_1', accountId: 'acc_1', from: { card: details } }, call);
      if (made.kind !== 'token') throw new Error(made.description);
      return made.processorToken;
    };
    const asked = (reference: string, processorToken: string): AuthorizationRequest => ({
      operation: 'authorization',
      reference,
      processorToken,
      accountId: 'acc_1',
      paymentId: 'pay_1',
      amount: 100,
      currencyCode: 'EUR',
      requestedAt: 0,
    });
    return { sandbox, tokenAt, asked };
  };

  it('has a token of its own for the same card, which is good at no other sandbox', async () => {
    const { sandbox, tokenAt, asked } = await opened();
    const [one, other] = [await tokenAt(first), await tokenAt(second)];
    expect(one).to.not.equal(other);
    expect((await sandbox.perform(asked('a1', other), second)).kind).to.equal('succeeded');
    expect((await sandbox.perform(asked('a2', other), first)).kind).to.equal('declined');
  });

  it('keeps a ledger of its own, and finds nothing of another', async () => {
    const { sandbox, tokenAt, asked } = await opened();
    const request = asked('a1', await tokenAt(second));
    await sandbox.perform(request, second);
    expect((await sandbox.ledgerOf('con_2', 10)).lines.map(({ reference }) => reference)).to.deep.equal(['a1']);
    expect((await sandbox.ledgerOf('acc_1', 10)).lines).to.deep.equal([]);
    expect((await sandbox.lookUp(request, second)).kind).to.equal('succeeded');
    expect((await sandbox.lookUp(request, first)).kind).to.equal('not_found');
  });

  it('goes wrong by its own rules', async () => {
    const { sandbox, tokenAt, asked } = await opened();
    const rules = [{ match: { operation: 'authorization' }, do: { phase: 'before_send', fault: 'reset' } }];
    await sandbox.setFaults('con_2', { rules });
    expect((await sandbox.perform(asked('a1', await tokenAt(second)), second)).kind).to.equal('not_sent');
    expect((await sandbox.perform(asked('a2', await tokenAt(first)), first)).kind).to.equal('succeeded');
  });
});

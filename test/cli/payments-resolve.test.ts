// counterfoil payments resolve beside a running service: an operator finds what is unknown, and settles it by hand.
import { expect } from 'chai';
import { transactionIdOf } from '../../src/processors/sandbox/names.ts';
import { firstKeyIn, Place, type Serving } from './processes.ts';

const at = (value: unknown, ...path: readonly (string | number)[]): unknown =>
  path.reduce((inner, name) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, name) : undefined), value);
const textAt = (value: unknown, ...path: readonly (string | number)[]): string => {
  const found = at(value, ...path);
  if (typeof found !== 'string') throw new Error(`no text at ${path.join('.')} of ${JSON.stringify(value)}`);
  return found;
};

describe('counterfoil payments resolve', function () {
  this.timeout(40_000);
  const place = new Place();
  let serving: Serving;
  let key: string;
  before(async () => {
    serving = await place.serve();
    key = firstKeyIn(serving.stdout());
  });
  after(() => place.remove());

  const ask = async (method: string, path: string, body?: object, headers: Record<string, string> = { 'X-Api-Key': key }) => {
    const response = await fetch(`${serving.url}${path}`, {
      method,
      headers: { ...headers, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const answer: unknown = await response.json();
    return { status: response.status, body: answer };
  };
  /** The call answers with status 500, and the money moved. */
  const unknownPayment = async (fields: object = {}): Promise<string> => {
    const session = await ask('POST', '/client-session', { orderId: 'o', currencyCode: 'EUR', amount: 1_000, ...fields });
    const clientToken = textAt(session.body, 'clientToken');
    const card = { number: '4000009900001077', expirationMonth: '12', expirationYear: '2039', cvc: '123' };
    const instrument = await ask('POST', '/checkout/payment-instruments', { card }, { 'X-Client-Token': clientToken });
    const paid = await ask('POST', '/payments', { clientToken, paymentMethodToken: textAt(instrument.body, 'token') });
    expect([paid.status, at(paid.body, 'status')]).to.deep.equal([202, 'PENDING']);
    return textAt(paid.body, 'id');
  };

  it('finds it listed with what is known of it, settles it, and the service shows that at once', async () => {
    const id = await unknownPayment();
    const listed = at(await place.json('payments list --unknown'), 'data', 0);
    expect(listed).to.include({ id, status: 'PENDING' });
    const [attempt] = [at(listed, 'openAttempts', 0)];
    expect(attempt).to.deep.include({ operation: 'authorization', state: 'unknown', lookUps: 0 });
    expect(textAt(attempt, 'evidence', 'detail')).to.match(/^What became of it is not known: /);
    const attemptId = textAt(attempt, 'attemptId');
    expect(at(attempt, 'evidence', 'sent')).to.deep.equal({
      operation: 'authorization',
      reference: attemptId,
      amount: 1_000,
      currencyCode: 'EUR',
    });
    for (const command of ['payments list --unknown', `payments show ${id}`]) {
      const { stdout } = await place.run(command);
      expect(stdout).to.contain(attemptId).and.contain('What became of it is not known').and.contain('NEXT LOOK-UP');
    }
    const transaction = transactionIdOf('authorization', attemptId);
    const args = ['--evidence', 'their statement shows it for 4242 4242 4242 4242', '--transaction', transaction];
    const { code, stdout, stderr } = await place.run(`payments resolve ${id} --as succeeded`, { args });
    expect([code, stderr]).to.deep.equal([0, '']);
    expect(stdout).to.equal(`The authorization ${attemptId} has succeeded, by your word. Payment ${id} is AUTHORIZED.\n`);
    expect(at((await ask('GET', `/payments/${id}`)).body, 'status')).to.equal('AUTHORIZED');
    const { body } = await ask('GET', `/payments/${id}/events`);
    const events = at(body, 'data');
    expect(Array.isArray(events) && events.at(-1)).to.deep.include({ type: 'AttemptSucceeded', actor: { kind: 'operator', id: 'cli' } });
    expect(JSON.stringify(events)).to.contain('4242 4200 0000 4242').and.not.contain('4242 4242');
    expect(at((await ask('POST', `/payments/${id}/capture`, {})).body, 'status')).to.equal('SETTLED');
    expect(await place.json('payments list --unknown')).to.deep.equal({ data: [] });
  });

  it('has the automatic capture follow, and says which id it recorded', async () => {
    const id = await unknownPayment({ paymentMethod: { captureMode: 'AUTOMATIC' } });
    const attemptId = textAt(await place.json(`payments show ${id}`), 'openAttempts', 0, 'attemptId');
    const { code, stdout, stderr } = await place.run(`payments resolve ${id} --as succeeded --json`, { args: ['--evidence', 'seen'] });
    expect(code).to.equal(0);
    expect(JSON.parse(stdout)).to.include({ paymentId: id, attemptId, resolvedAs: 'succeeded', processorTransactionId: attemptId });
    expect(stderr).to.contain('our own reference is on record');
    // The sandbox knows no transaction of that name, so the capture that followed was refused: the payment stays as it was.
    expect(at((await ask('GET', `/payments/${id}`)).body, 'status')).to.equal('AUTHORIZED');
    expect((await place.run(`payments show ${id}`)).stdout).to.contain('CaptureRequested');
  });

  it('settles it as failed, and refuses what is not unknown or makes no sense', async () => {
    const id = await unknownPayment();
    const { code } = await place.run(`payments resolve ${id} --as failed --evidence ticket-4711`);
    expect(code).to.equal(0);
    const { body } = await ask('GET', `/payments/${id}`);
    expect([at(body, 'status'), at(body, 'statusReason', 'type')]).to.deep.equal(['FAILED', 'GATEWAY_TIMEOUT']);
    const codes = await place.codes([
      `payments resolve ${id} --as failed --evidence again`,
      'payments resolve pay_nothing --as failed --evidence x',
      `payments resolve ${id} --as perhaps --evidence x`,
      `payments resolve ${id} --as failed`,
      `payments resolve ${id} --as failed --evidence x --transaction y`,
    ]);
    expect(codes).to.deep.equal([1, 1, 2, 2, 2]);
  });
});

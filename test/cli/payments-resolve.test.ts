// counterfoil payments resolve beside a running service: an operator finds an unknown attempt, and settles it by hand.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { secretFileIn } from '../../src/cli/open/machine-secrets.ts';
import { paymentIdOfReference } from '../../src/domain/payment/reference.ts';
import { transactionIdOf } from '../../src/processors/sandbox/names.ts';
import { signatureOf } from '../../src/processors/sandbox/notifications.ts';
import { Secrets } from '../../src/secrets.ts';
import { pay, paymentIn } from '../support/load-calls.ts';
import { Client } from '../support/load-client.ts';
import { until } from '../support/until.ts';
import { firstKeyIn, Place } from './processes.ts';

const at = (value: unknown, ...path: readonly (string | number)[]): unknown =>
  path.reduce(
    (inner, name) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, name) : undefined),
    value,
  );
const textAt = (value: unknown, ...path: readonly (string | number)[]): string => {
  const found = at(value, ...path);
  if (typeof found !== 'string') throw new Error(`no text at ${path.join('.')} of ${JSON.stringify(value)}`);
  return found;
};

describe('counterfoil payments resolve', () => {
  const place = new Place();
  let client: Client;
  let url: string;
  let key: string;
  let keyId: string;
  before(async () => {
    const serving = await place.serve();
    url = serving.url;
    key = firstKeyIn(serving.stdout());
    keyId = `key_${key.split('_')[2]}`;
    client = new Client(url, key);
    await lookUps('silent');
  });
  after(async () => {
    client.close();
    await place.remove();
  });

  /** A processor that knows no outcome, or one that does. */
  const lookUps = async (are: 'silent' | 'answered', ...others: readonly object[]): Promise<void> => {
    const silent = { match: { operation: 'look_up' }, do: { phase: 'before_effect', fault: '503' } };
    const rules = [...(are === 'silent' ? [silent] : []), ...others];
    expect((await client.call('PUT', '/sandbox/faults', { seed: 1, rules })).status).to.equal(200);
  };

  /** A notification of the processor, signed as the processor signs. */
  const notify = async (told: object): Promise<void> => {
    const body = JSON.stringify({ notificationId: 'ntf_1', occurredAt: new Date().toISOString(), ...told });
    const master = Buffer.from(readFileSync(secretFileIn(join(place.dir, 'data')), 'utf8').trim(), 'base64url');
    const [secret = Buffer.alloc(0)] = new Secrets([master]).keys('sandbox-signature');
    const headers = {
      'X-Api-Key': key,
      'Content-Type': 'application/json',
      'X-Sandbox-Signature': signatureOf(secret, body, Date.now()),
    };
    const { status } = await fetch(`${url}/webhooks/sandbox`, { method: 'POST', headers, body });
    expect(status).to.equal(202);
  };

  /** The call answers with status 500, and the money moved. */
  const unknownPayment = async (fields: object = {}): Promise<string> => {
    const paid = await pay(client, fields, '4000009900001077');
    const { id, status } = paymentIn(paid);
    expect([paid.status, status]).to.deep.equal([202, 'PENDING']);
    return id;
  };

  /** The list in one line, because a table breaks its sentences. */
  const owed = async (): Promise<string> => (await place.run('payments list --unknown')).stdout.replaceAll(/\s+/g, ' ');

  it('finds it listed with the evidence, settles it, and the service shows that at once', async () => {
    const id = await unknownPayment();
    const listed = at(await place.json('payments list --unknown'), 'data', 0);
    expect(listed).to.include({ id, status: 'PENDING' });
    const [attempt] = [at(listed, 'openAttempts', 0)];
    expect(attempt).to.deep.include({ operation: 'authorization', state: 'unknown', amount: 1_000, lookUps: 0 });
    expect(textAt(attempt, 'evidence', 'detail')).to.match(/^The outcome is not known: /);
    const attemptId = textAt(attempt, 'attemptId');
    const reference = textAt(attempt, 'reference');
    expect(paymentIdOfReference(reference)).to.equal(id);
    for (const command of ['payments list --unknown', `payments show ${id}`]) {
      const stdout = (await place.run(command)).stdout.replaceAll(/\s+/g, ' ');
      expect(stdout)
        .to.contain(attemptId)
        .and.contain(reference)
        .and.contain('The outcome is not known')
        .and.match(/next look-up|the next one/i);
    }
    const transaction = transactionIdOf('authorization', reference);
    const args = ['--evidence', 'their statement shows it for 4242 4242 4242 4242', '--transaction', transaction];
    const { code, stdout, stderr } = await place.run(`payments resolve ${id} --as succeeded`, { args });
    expect([code, stderr]).to.deep.equal([0, '']);
    expect(stdout).to.equal(
      `The authorization ${attemptId} has succeeded, as you confirmed. Payment ${id} is AUTHORIZED.\n`,
    );
    expect(at((await client.call('GET', `/payments/${id}`)).body, 'status')).to.equal('AUTHORIZED');
    const { body } = await client.call('GET', `/payments/${id}/events`);
    const events = at(body, 'data');
    expect(Array.isArray(events) && events.at(-1)).to.deep.include({
      type: 'PaymentAuthorized',
      actor: { kind: 'operator', id: 'cli' },
    });
    expect(JSON.stringify(events)).to.contain('4242 4200 0000 4242').and.not.contain('4242 4242');
    expect(at((await client.call('POST', `/payments/${id}/capture`, {})).body, 'status')).to.equal('SETTLED');
    expect(await place.json('payments list --unknown')).to.deep.equal({ data: [] });
  });

  it('has the automatic capture follow, and says which id it recorded', async () => {
    const id = await unknownPayment({ paymentMethod: { captureMode: 'AUTOMATIC' } });
    const attempt = at(await place.json(`payments show ${id}`), 'openAttempts', 0);
    const [attemptId, reference] = [textAt(attempt, 'attemptId'), textAt(attempt, 'reference')];
    const { code, stdout, stderr } = await place.run(`payments resolve ${id} --as succeeded --json`, {
      args: ['--evidence', 'seen'],
    });
    expect(code).to.equal(0);
    expect(JSON.parse(stdout)).to.include({
      paymentId: id,
      attemptId,
      resolvedAs: 'succeeded',
      processorTransactionId: reference,
    });
    expect(stderr).to.contain(`our own reference is recorded in its place: ${reference}.`);
    // The sandbox knows the authorization by that name as well, so the capture that followed was done.
    expect(at((await client.call('GET', `/payments/${id}`)).body, 'status')).to.equal('SETTLED');
    expect((await place.run(`payments show ${id}`)).stdout).to.contain('CaptureRequested');
  });

  it('tells the whole story of one: the requested cancellation, and the source of the operator', async () => {
    const id = await unknownPayment();
    expect((await client.call('POST', `/payments/${id}/cancel`, { reason: 'a double order' })).status).to.equal(202);
    await place.run(`payments resolve ${id} --as succeeded`, {
      args: ['--evidence', 'page 2 of their statement, line 17'],
    });
    const story = (await place.run(`payments show ${id}`)).stdout.split('\n\n')[1] ?? '';
    const lines = story
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/ {2,}/).slice(1).join(' | '));
    expect(lines).to.deep.equal([
      'OPERATION | EVENT | AMOUNT',
      'WHAT IS KNOWN',
      'PaymentCreated | 10.00 EUR',
      `by ${keyId}`,
      'authorization | AuthorizationRequested | 10.00 EUR',
      `by ${keyId}`,
      'authorization | AuthorizationOutcomeUnknown',
      'answer: The outcome is not known: answered with status 500.',
      'CancellationIntended',
      'a double order',
      'authorization | PaymentAuthorized | 10.00 EUR',
      'operator: page 2 of their statement, line 17',
      'cancellation | CancellationRequested',
      'by operator cli',
      'cancellation | AuthorizationVoided | 10.00 EUR',
      'answer: The processor reports success: 10.00 EUR.',
    ]);
    expect(Math.max(...story.split('\n').map(({ length }) => length))).to.be.at.most(80);
    const shown = await place.json(`payments show ${id}`);
    const { body } = await client.call('GET', `/payments/${id}/events`);
    expect(at(shown, 'events')).to.deep.equal(at(body, 'data'));
    expect(at(shown, 'events', 4, 'data', 'evidence')).to.deep.equal({
      source: 'operator',
      detail: 'page 2 of their statement, line 17',
    });
  });

  it('settles it as failed, and refuses an attempt that is not unknown, and arguments that make no sense', async () => {
    const id = await unknownPayment();
    const { code } = await place.run(`payments resolve ${id} --as failed --evidence ticket-4711`);
    expect(code).to.equal(0);
    const { body } = await client.call('GET', `/payments/${id}`);
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

  it('lists a payment with refunds beyond its captures as OVER_REFUNDED, until it is closed', async () => {
    const { id } = paymentIn(await pay(client, {}));
    expect((await client.call('POST', `/payments/${id}/capture`, {})).status).to.equal(200);
    await lookUps('silent', { match: { operation: 'refund', nth: 1 }, do: { phase: 'before_effect', fault: '503' } });
    expect((await client.call('POST', `/payments/${id}/refund`, {})).status).to.equal(202);
    const reference = textAt(await place.json(`payments show ${id}`), 'openAttempts', 0, 'reference');
    expect((await place.run(`payments resolve ${id} --as failed --evidence hearsay`)).code).to.equal(0);
    expect((await client.call('POST', `/payments/${id}/refund`, {})).status).to.equal(200);
    await notify({
      type: 'refund.succeeded',
      reference,
      processorTransactionId: 'tx_1',
      amount: 1_000,
      currencyCode: 'EUR',
    });
    const refunded = async (): Promise<unknown> =>
      at((await client.call('GET', `/payments/${id}`)).body, 'processor', 'amountRefunded');
    await until(async () => (await refunded()) === 2_000);
    const listed = at(await place.json('payments list --unknown'), 'data', 0);
    expect(listed).to.deep.include({ id, status: 'SETTLED', openAttempts: [], overRefunded: 1_000 });
    for (const command of ['payments list --unknown', `payments show ${id}`])
      expect((await place.run(command)).stdout).to.match(/10\.00 EUR +OVER_REFUNDED|OVER_REFUNDED +by 10\.00 EUR/);
    expect(await owed()).to.match(
      new RegExp(
        `See to it, then close it: \`counterfoil payments resolve ${id.slice(0, 16)} --as succeeded --evidence TEXT\``,
      ),
    );
    expect((await place.run(`payments resolve ${id} --as failed --evidence x`)).code).to.equal(1);
    const closed = await place.run(`payments resolve ${id} --as succeeded`, {
      args: ['--evidence', 'the customer sent it back'],
    });
    expect([closed.code, closed.stdout]).to.deep.equal([
      0,
      `${id} is no longer listed as OVER_REFUNDED by 10.00 EUR.\n`,
    ]);
    expect(await place.json('payments list --unknown')).to.deep.equal({ data: [] });
    expect((await place.run(`payments show ${id}`)).stdout)
      .to.contain('operator: the customer sent it back')
      .and.not.contain('OVER_REFUNDED');
  });

  it('does not contradict a success in another currency that the processor reports, and says so', async () => {
    const { id } = paymentIn(await pay(client, {}, '4000009900003065'));
    expect((await client.call('POST', `/payments/${id}/capture`, {})).status).to.equal(202);
    expect(await owed(), 'before the look-up').to.match(/Nothing yet: the next look-up is at \S+Z\./);
    await lookUps('answered');
    const refused = await place.run(`payments resolve ${id} --as failed --evidence hearsay`);
    expect(refused.code).to.equal(1);
    expect(await owed(), 'after it').to.match(
      /The processor took \d+\.\d\d [A-Z]{3} in place of 10\.00 EUR, and nobody asks again\. See to it, then close it: `counterfoil payments resolve pay_\w+ --as succeeded --evidence TEXT`/,
    );
    expect(refused.stderr).to.match(
      /the processor reports success with \d+\.\d\d [A-Z]{3}\. .*--as succeeded closes the attempt/,
    );
    expect(at(await place.json('payments list --unknown'), 'data', 0)).to.include({ id, status: 'AUTHORIZED' });
    expect((await place.run(`payments resolve ${id} --as succeeded --evidence corrected`)).code).to.equal(0);
    await lookUps('silent');
  });

  it('asks the processor first, and does not go against its word', async () => {
    const [one, other] = [await unknownPayment(), await unknownPayment()];
    await lookUps('answered');
    const refused = await place.run(`payments resolve ${one} --as failed --evidence hearsay`);
    expect(refused.code).to.equal(1);
    expect(refused.stderr).to.match(
      /The processor was asked first, and it reported that the .* is succeeded\. Payment pay_\w+ is AUTHORIZED\. .*--as failed was not/,
    );
    const agreed = await place.run(`payments resolve ${other} --as succeeded --evidence hearsay`);
    expect([agreed.code, agreed.stdout]).to.satisfy(
      ([code, text]: [number, string]) => code === 0 && text.includes('Your confirmation was not needed.'),
    );
    expect(at((await client.call('GET', `/payments/${one}`)).body, 'status')).to.equal('AUTHORIZED');
    await lookUps('silent');
  });

  it('settles an answer to a dispute whose outcome is unknown, which is listed and shown with what can be done', async () => {
    const { id } = paymentIn(await pay(client, {}, '4000000000000259'));
    expect((await client.call('POST', `/payments/${id}/capture`, {})).status).to.equal(200);
    expect((await place.run('sandbox clock advance 6s')).code).to.equal(0);
    const dispute = async (): Promise<unknown> =>
      at((await client.call('GET', `/payments/${id}`)).body, 'disputes', 0, 'id');
    await until(async () => (await dispute()) !== undefined);
    await lookUps('silent', { match: { operation: 'dispute_answer' }, do: { phase: 'before_effect', fault: '500' } });
    expect((await client.call('POST', `/payments/${id}/disputes/${await dispute()}/accept`, {})).status).to.equal(202);
    const [listed] = [at(await place.json('payments list --unknown'), 'data', 0)];
    const answer = at(listed, 'openDisputeAnswers', 0);
    expect(answer).to.deep.include({ disputeId: await dispute(), answer: 'acceptance', state: 'unknown', lookUps: 0 });
    for (const command of ['payments list --unknown', `payments show ${id}`])
      expect((await place.run(command)).stdout)
        .to.contain(textAt(answer, 'reference'))
        .and.contain('The outcome of the response is not known: ');
    const shown = (await place.run(`payments show ${id}`)).stdout;
    expect(shown)
      .to.match(/unresolved +acceptance for the dispute of 10\.00 EUR, unknown/)
      .and.contain('the service asks the processor');
    for (const line of shown.split('\n').slice(-12)) expect(line.length, line).to.be.at.most(80);
    const answerId = textAt(answer, 'answerId');
    const named = `payments resolve ${id} --as succeeded --evidence x --transaction tx_1`;
    expect((await place.run(named)).stderr).to.contain(
      `${answerId} is a response to a dispute: a transaction id does not apply to it.`,
    );
    expect((await place.run(`payments resolve ${id} --as failed --evidence x --attempt ${id}.no`)).stderr).to.contain(
      `Open attempts: ${answerId}.`,
    );
    const failed = await place.run(`payments resolve ${id} --as failed --evidence ticket-4711`);
    expect([failed.code, failed.stderr]).to.deep.equal([0, '']);
    expect(failed.stdout).to.equal(
      `The acceptance for the dispute ${await dispute()} never arrived, as you confirmed. The dispute is OPEN.\n`,
    );
    expect((await client.call('POST', `/payments/${id}/disputes/${await dispute()}/accept`, {})).status).to.equal(202);
    const json = await place.json(`payments resolve ${id} --as succeeded --evidence their-letter`);
    expect(json).to.deep.include({
      paymentId: id,
      disputeId: await dispute(),
      resolvedAs: 'succeeded',
      disputeStatus: 'ACCEPTED',
    });
    expect(at((await client.call('GET', `/payments/${id}`)).body, 'disputes', 0, 'status')).to.equal('ACCEPTED');
    expect(await place.json('payments list --unknown')).to.deep.equal({ data: [] });
    expect((await place.run(`payments show ${id}`)).stdout).to.contain('operator: their-letter');
  });
});

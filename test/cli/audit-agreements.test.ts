// What was agreed and charged, for somebody outside: the proof of an agreement, and of what answers a dispute about one
// of its charges.
import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { z } from 'zod';
import { readProof } from '../../src/verify/format.ts';
import { CONSENT, TERMS } from '../support/agreement-made.ts';
import { createSession, ok, type Payment, paymentIn, tokenize } from '../support/load-calls.ts';
import { Client } from '../support/load-client.ts';
import { ROOT } from '../support/root.ts';
import { until } from '../support/until.ts';
import { firstKeyIn, Place } from './processes.ts';

/** Each capture is disputed, those of charges without the customer as well. */
const DISPUTED = '4000000000000259';
const Made = z.looseObject({ id: z.string() });
const WithDisputes = z.looseObject({ disputes: z.array(z.looseObject({ id: z.string() })).optional() });

describe('counterfoil audit export of an agreement and of a dispute', () => {
  const place = new Place();
  let outside: string;
  let key: string;
  let first: Payment;
  let charges: readonly Payment[];
  let agreement: string;
  let ofErased: string;
  let dispute: string;
  before(async function prepare() {
    outside = await mkdtemp(join(tmpdir(), 'counterfoil-outside-'));
    await copyFile(join(ROOT, 'dist/counterfoil-verify.mjs'), join(outside, 'verify.mjs'));
    const serving = await place.serve('--log-level error');
    const client = new Client(serving.url, firstKeyIn(serving.stdout()));
    ({ first, agreement } = await agreed(client, 'customer-1', DISPUTED));
    const { first: erased, agreement: other } = await agreed(client, 'customer-2');
    ofErased = other;
    const charge = async (id: string, periodKey: string): Promise<Payment> => {
      const asked = { periodKey, orderId: `o-${periodKey}`, amount: 1_900 };
      return paymentIn(ok(await client.call('POST', `/agreements/${id}/charges`, asked)));
    };
    await charge(ofErased, 'first');
    ok(await client.call('POST', `/payments/${erased.id}/capture`, {}));
    charges = [await charge(agreement, 'first'), await charge(agreement, 'second')];
    const disputesOf = async (id: string) =>
      WithDisputes.parse(ok(await client.call('GET', `/payments/${id}`)).body).disputes ?? [];
    await place.json('sandbox clock advance 60s');
    await until(async () => (await disputesOf(charges[1]?.id ?? '')).length > 0);
    dispute = (await disputesOf(charges[1]?.id ?? ''))[0]?.id ?? '';
    client.close();
    await serving.end('SIGTERM');
    key = (await place.run('audit key')).stdout.trim();
  });
  after(async () => {
    await rm(outside, { recursive: true });
    await place.remove();
  });

  const agreed = async (client: Client, customerId: string, card?: string) => {
    const clientToken = await createSession(client, { customerId, paymentMethod: { vaultOnSuccess: true } });
    const paymentMethodToken = await tokenize(client, clientToken, card);
    const paid = paymentIn(ok(await client.call('POST', '/payments', { clientToken, paymentMethodToken })));
    const { amount: _, ...variable } = TERMS;
    const terms = { ...variable, amountRule: 'VARIABLE', frequency: 'DAY', startsAt: '2026-01-01T00:00:00Z' };
    const consent = { ...CONSENT, ipAddress: '192.0.2.7' };
    const asked = { paymentId: paid.id, kind: 'RECURRING', terms, consent };
    return { first: paid, agreement: Made.parse(ok(await client.call('POST', '/agreements', asked)).body).id };
  };
  const proofIn = async (file: string) => readProof(JSON.parse(await readFile(join(place.dir, file), 'utf8')));
  const streamsIn = async (file: string): Promise<readonly string[]> =>
    (await proofIn(file)).streams.map(({ stream }) => stream);
  const verified = async (file: string, ...more: readonly string[]): Promise<{ code: number; stdout: string }> => {
    try {
      const args = ['verify.mjs', file, '--key', key, ...more];
      return { code: 0, ...(await promisify(execFile)(process.execPath, args, { cwd: outside, env: {} })) };
    } catch (fault) {
      return z.object({ code: z.number(), stdout: z.string() }).parse(fault);
    }
  };

  it('proves an agreement with the payments that began and charged it, and finds a changed byte', async () => {
    const ran = await place.run(`audit export ${agreement} --out agreement.json`);
    expect(ran).to.include({ code: 0, stderr: '' });
    expect(ran.stdout).to.contain(`--agreement ${agreement}`);
    const streams = await streamsIn('agreement.json');
    expect(streams[0]).to.equal(`agreement-${agreement}`);
    expect(streams).to.include.members([first, ...charges].map(({ id }) => `payment-${id}`));
    const checked = await verified(join(place.dir, 'agreement.json'), '--agreement', agreement);
    expect(checked.code).to.equal(0);
    expect(checked.stdout).to.contain('AgreementProposed').and.contain('Everything that is said here holds.');
    const text = await readFile(join(place.dir, 'agreement.json'), 'utf8');
    await writeFile(join(outside, 'changed.json'), text.replace(CONSENT.textDigest, 'ac'.repeat(32)));
    const changed = await verified('changed.json', '--agreement', agreement);
    expect(changed.code).to.equal(1);
    expect(changed.stdout).to.contain(`agreement-${agreement}, event 0 (AgreementProposed)`);
    const other = await verified(join(place.dir, 'agreement.json'), '--payment', first.id);
    expect(other.stdout).to.contain(`The file does not prove the payment ${first.id}.`);
    await writeFile(join(outside, 'renamed.json'), text.replace('"agreementId"', '"paymentId"'));
    expect((await verified('renamed.json')).stdout).to.contain('The first stream is not that of the payment');
  });

  it('proves what answers a dispute: its payment, the agreement, and the payment that began it', async () => {
    const [other, disputed] = charges.map(({ id }) => `payment-${id}`);
    expect(await place.run(`audit export --dispute ${dispute} --out dispute.json`)).to.include({ code: 0 });
    const streams = await streamsIn('dispute.json');
    expect(streams[0]).to.equal(disputed);
    expect(streams).to.include.members([`agreement-${agreement}`, `payment-${first.id}`]);
    expect(streams).not.to.include(other);
    expect(await verified(join(place.dir, 'dispute.json'), '--payment', charges[1]?.id ?? '')).to.include({ code: 0 });
    const refusals: readonly (readonly [command: string, code: number, said: string])[] = [
      ['audit export --dispute dsp_none --out x.json', 1, 'There is no dispute dsp_none.'],
      ['audit export agr_none --out x.json', 1, 'There is no agreement agr_none.'],
      ['audit export --out x.json', 2, 'Give the id of a payment or an agreement, or --dispute.'],
      [`audit export ${agreement} --dispute ${dispute} --out x.json`, 2, 'Give the id'],
    ];
    for (const [command, code, said] of refusals) {
      const ran = await place.run(command);
      expect([ran.code, ran.stderr], command).to.satisfy(
        ([found, text]: [number, string]) => found === code && text.includes(said),
      );
    }
  });

  it('has the events of an agreement by its id, and still proves it when its customer is erased', async () => {
    expect((await place.run(`audit show ${agreement}`)).stdout).to.contain('ChargeSettled');
    expect((await place.run(`audit replay ${agreement.slice(0, 16)}`)).stdout).to.contain('AgreementActivated');
    await place.json('customers erase customer-2');
    expect(await place.run(`audit export ${ofErased} --out erased.json`)).to.include({ code: 0, stderr: '' });
    expect(await verified(join(place.dir, 'erased.json'), '--agreement', ofErased)).to.include({ code: 0 });
    const { streams } = await proofIn('erased.json');
    expect(streams[0]?.events.map(({ type }) => type))
      .to.include('AgreementProposed')
      .and.include('CustomerErased');
    expect(await readFile(join(place.dir, 'erased.json'), 'utf8')).not.to.contain('192.0.2.7');
  });
});

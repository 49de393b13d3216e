// counterfoil trigger: every type of message comes of a chain of true objects, and nothing but the payment is left of
// it.
import { expect } from 'chai';
import { z } from 'zod';
import { MESSAGE_TYPES, type MessageType } from '../../src/domain/message.ts';
import { WEBHOOK_TYPES } from '../../src/domain/webhook-endpoint.ts';
import { Place, type Serving } from './processes.ts';

const Triggered = z.object({
  eventType: z.string(),
  eventId: z.string(),
  paymentId: z.string().optional(),
  agreementId: z.string().optional(),
  sequence: z.number(),
  calls: z.array(z.looseObject({})),
});
const Keys = z.object({ data: z.array(z.looseObject({ name: z.string(), state: z.string() })) });
/** These replace the account's rules for a moment. */
const BY_RULE: readonly MessageType[] = ['PAYMENT.CANCELLATION.FAILED', 'PAYMENT.ADJUSTMENT.FAILED'];

describe('counterfoil trigger', () => {
  const place = new Place();
  let serving: Serving;
  before(async () => {
    serving = await place.serve('--log-level error');
  });
  after(() => place.remove());

  const trigger = async (type: string) => Triggered.parse(await place.json(`trigger ${type} --url ${serving.url}`));

  it('brings about every type of message, several at a time', async () => {
    const made = await Promise.all(MESSAGE_TYPES.map(trigger));
    expect(made.map(({ eventType }) => eventType).sort()).to.deep.equal([...MESSAGE_TYPES].sort());
    expect(new Set(made.map(({ paymentId, agreementId }) => paymentId ?? agreementId)).size).to.equal(
      MESSAGE_TYPES.length,
    );
  });

  it('records a checkpoint of the log', async () => {
    const { checkpoint } = z
      .looseObject({ checkpoint: z.looseObject({ treeSize: z.number(), root: z.string() }) })
      .parse(await place.json(`trigger audit.checkpoint --url ${serving.url}`));
    const verified = z
      .looseObject({ ownCheckpoints: z.looseObject({ newest: z.looseObject({ treeSize: z.number() }) }) })
      .parse(await place.json('audit verify'));
    expect(verified.ownCheckpoints.newest.treeSize).to.equal(checkpoint.treeSize);
  });

  it('changes the rules in turn, and leaves none', async () => {
    const made = await Promise.all([...BY_RULE, ...BY_RULE].map(trigger));
    expect(made.map(({ eventType }) => eventType)).to.deep.equal([...BY_RULE, ...BY_RULE]);
    expect(await place.json('sandbox faults --show')).not.to.have.property('rules');
  });

  it('shows each call and the message in 80 columns, and takes a name in any case', async () => {
    const { code, stdout, stderr } = await place.run(`trigger payment.refund --url ${serving.url}`);
    expect(code).to.equal(0);
    expect(stderr).to.match(/^POST \/payments\/pay_…\w{6}\/refund +200 +\d+ ms$/m);
    expect(stdout).to.match(/^message +PAYMENT.REFUND\nevent +evt_\S+\npayment +pay_\w+\nstatus +SETTLED\n/);
    for (const line of `${stdout}\n${stderr}`.split('\n')) expect(line.length, line).to.be.at.most(80);
  });

  it('leaves the account’s own rules, and no key', async () => {
    const own = { seed: 3, rules: [{ match: { operation: 'refund' }, do: { phase: 'after_reply', fault: 'delay' } }] };
    const { writeFileSync } = await import('node:fs');
    writeFileSync(`${place.dir}/faults.json`, JSON.stringify(own));
    await place.run('sandbox faults faults.json');
    await trigger('PAYMENT.CANCELLATION.FAILED');
    expect(await place.json('sandbox faults --show')).to.deep.include(own);
    const { data } = Keys.parse(await place.json('keys list'));
    expect(data.filter(({ name, state }) => name === 'Demo' && state !== 'revoked')).to.deep.equal([]);
  });

  it('lists the types in its help', async () => {
    const { stdout } = await place.run('trigger --help');
    for (const type of WEBHOOK_TYPES) expect(stdout).to.match(new RegExp(`^  ${type}  `, 'm'));
  });

  it('names similar types for an unknown type', async () => {
    for (const [name, near] of [
      ['PAYMENT.REFUNDS', 'Did you mean PAYMENT.REFUND?'],
      ['dispute', 'Did you mean DISPUTE.OPENED or DISPUTE.STATUS?'],
      ['order.paid', 'The types are: PAYMENT.STATUS, '],
    ] as const) {
      const { code, stderr } = await place.run(`trigger ${name}`);
      expect({ code, says: stderr.includes(near) }, name).to.deep.equal({ code: 2, says: true });
    }
  });

  it('says that no service runs, and exits 3', async () => {
    const { code, stderr } = await place.run('trigger PAYMENT.REFUND --port 1');
    expect({ code, stderr }).to.deep.equal({
      code: 3,
      stderr:
        'No service responds at http://127.0.0.1:1. Start one with `counterfoil serve`, or name its address with --url.\n',
    });
  });
});

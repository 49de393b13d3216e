// The twin as `npm run twin:stripe` starts it: one line of JSON, and controls over HTTP.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import { z } from 'zod';
import { nodeArguments, scriptBeside } from '../script.ts';
import { serveControls } from './controls.ts';
import { created, held, VISA } from './expectations/expectation.ts';
import { clientOf, refusedWith } from './outside-client.ts';
import { openReceiver } from './receiver.ts';
import { openStripeTwin } from './stripe-twin.ts';

const Printed = z.strictObject({
  url: z.url(),
  secretKey: z.string(),
  publishableKey: z.string(),
  webhookSecret: z.string(),
  controls: z.url(),
});

describe('the controls of the Stripe twin', () => {
  async function control(url: string, name: string, sent: object = {}): Promise<unknown> {
    const response = await fetch(`${url}/${name}`, { method: 'POST', body: JSON.stringify(sent) });
    const answer: unknown = await response.json();
    if (!response.ok) throw new Error(JSON.stringify(answer));
    return answer;
  }

  it('do over HTTP what a test can do', async () => {
    const twin = await openStripeTwin();
    const { url, close } = await serveControls(twin, 0);
    const stripe = clientOf(twin);
    const id = await created(stripe, { metadata: { counterfoil_payment: 'pay-1' } });
    const { fault } = z
      .object({ fault: z.int() })
      .parse(await control(url, 'fault', { match: { path: 'confirm$' }, fault: { kind: 'hold', at: 'running' } }));
    const confirming = stripe.paymentIntents.confirm(id, VISA);
    expect(await control(url, 'applied', { fault })).to.include({ path: `/v1/payment_intents/${id}/confirm` });
    await control(url, 'release', { fault });
    await confirming;
    expect(await control(url, 'unreversed', { payment: 'pay-1' })).to.have.length(1);
    await control(url, 'fault', { fault: { kind: 'declined', declineCode: 'lost_card' } });
    const refused = await refusedWith(stripe.paymentIntents.confirm(await created(stripe), VISA));
    expect(refused).to.include({ decline_code: 'lost_card' });
    await control(url, 'moveClock', { ms: 7 * 24 * 3_600_000 });
    expect(await control(url, 'effects')).to.deep.equal(JSON.parse(JSON.stringify(twin.effects())));
    expect(twin.effects().map(({ kind }) => kind)).to.deep.equal(['hold', 'release']);
    expect(await control(url, 'release', { fault: 9 }).catch(String)).to.contain('there is no fault 9');
    await close();
    await twin.close();
  });

  it('come with a twin that was started by hand', async () => {
    const receiver = await openReceiver();
    const main = nodeArguments(scriptBeside('main', import.meta.url), '--webhook-url', receiver.url);
    const child = spawn(process.execPath, [...main], { stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(child, 'exit');
    try {
      const [line] = await once(createInterface(child.stdout), 'line');
      const printed = Printed.parse(JSON.parse(String(line)));
      const stripe = clientOf(printed);
      const id = await held(stripe);
      const token = await control(printed.controls, 'confirmationToken', { paymentMethod: 'pm_card_visa' });
      expect(token).to.match(/^ctoken_/);
      await control(printed.controls, 'moveClock', { ms: 0 });
      const [{ body, signature } = { body: '', signature: '' }] = receiver.received;
      const event = stripe.webhooks.constructEvent(body, signature, printed.webhookSecret);
      expect(event.data.object).to.include({ id });
    } finally {
      child.kill();
      await ended;
      await receiver.close();
    }
  });
});

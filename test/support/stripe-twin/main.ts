// The twin, started by hand: `npm run twin:stripe -- --port 4010 --control-port 4011 --webhook-url http://…`.
import { parseArgs } from 'node:util';
import { serveControls } from './controls.ts';
import { openStripeTwin } from './stripe-twin.ts';

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    'control-port': { type: 'string', default: '0' },
    'webhook-url': { type: 'string' },
  },
});
const twin = await openStripeTwin({ port: Number(values.port) });
const controls = await serveControls(twin, Number(values['control-port']));
const [account] = twin.accounts;
const webhookSecret = `whsec_${account.id}`;
const url = values['webhook-url'];
if (url !== undefined) account.addEndpoint({ url, secrets: [webhookSecret] });
const { secretKey, publishableKey } = account;
console.log(JSON.stringify({ url: twin.url, secretKey, publishableKey, webhookSecret, controls: controls.url }));

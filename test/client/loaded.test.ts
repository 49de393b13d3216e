// The client as a shop loads it on this version of Node: with `import`, and with `require`.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { z } from 'zod';
import { inNode, shopFolder } from './shop-project.ts';

const Loaded = z.object({
  names: z.array(z.string()),
  isModule: z.boolean(),
  errorName: z.string(),
  paymentId: z.string(),
});

/** `client` is the loaded package. */
const USE = `
const use = async (client) => {
  const { isModuleNamespaceObject } = process.getBuiltinModule('node:util').types;
  const secret = 'whsec_' + btoa('0123456789abcdef0123456789abcdef');
  const { body, headers } = await client.signTestWebhook({ payment: { id: 'pay_1', status: 'SETTLED' } }, secret);
  const { payment } = await client.verifyWebhook(body, headers, secret);
  const counterfoil = new client.Counterfoil({ apiKey: 'cf_test_1', baseUrl: 'http://127.0.0.1:1', retries: 0 });
  const { name } = await counterfoil.payments.get('pay_1').catch((fault) => fault);
  const names = Object.keys(client).sort();
  console.log(JSON.stringify({ names, isModule: isModuleNamespaceObject(client), errorName: name, paymentId: payment.id }));
};`;

describe('the client, loaded by a shop', () => {
  let folder: string;
  before(() => {
    folder = shopFolder();
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  async function loaded(file: string, script: string): Promise<z.output<typeof Loaded>> {
    writeFileSync(join(folder, file), `${USE}\n${script}`);
    return Loaded.parse(JSON.parse(await inNode(folder, file)));
  }

  it('is CommonJS for `require`, and the same ES module for `import`', async () => {
    const required = await loaded('shop.cjs', "use(require('@counterfoil/client'));");
    const imported = await loaded('shop.mjs', "use(await import('@counterfoil/client'));");
    expect(required).to.deep.equal({ ...imported, isModule: false });
    expect(imported).to.include({ isModule: true, errorName: 'CounterfoilNoAnswer', paymentId: 'pay_1' });
    expect(imported.names).to.include.members(['Counterfoil', 'CounterfoilError', 'signTestWebhook', 'verifyWebhook']);
  });
});

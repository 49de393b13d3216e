// Keys and client tokens belong to a mode: a node takes those of its own and no others, whatever secret they were made
// with (contract §2).
import { expect } from 'chai';
import { formatApiKey, parseApiKey } from '../../../src/commands/access/api-key-text.ts';
import { ClientTokens } from '../../../src/commands/sessions/client-tokens.ts';
import { memoryStores, merchant, nodeOn } from '../../support/node.ts';

for (const [mode, other] of [
  ['test', 'live'],
  ['live', 'test'],
] as const) {
  describe(`a node in ${mode} mode`, () => {
    it(`takes its own key, and not the same one spelled as a ${other} key`, async () => {
      const { service } = await nodeOn(await memoryStores(), { mode });
      const account = await service.access.createAccount('Shop');
      const made = await service.access.createApiKey({
        accountId: account.kind === 'completed' ? account.id : '',
        name: 'key',
        scopes: [],
      });
      const parsed = made.kind === 'completed' ? parseApiKey(made.key) : undefined;
      if (parsed === undefined) throw new TypeError('no key was created');
      const holder = async (env: 'test' | 'live') =>
        service.access.authentication.apiKey(formatApiKey({ ...parsed, env }), service.world.now());
      expect(await holder(mode)).to.include({ keyId: parsed.keyId });
      expect(await holder(other)).to.equal(undefined);
    });

    it(`takes its own client token, and not one of the same claims made in ${other} mode`, async () => {
      const stores = await memoryStores();
      const { service } = await nodeOn(stores, { mode });
      const now = Math.floor(service.world.now() / 1_000) * 1_000;
      const claims = { sessionId: 'cs_1', accountId: 'acc_1', issuedAt: now, expiresAt: now + 60_000 };
      const tokenOf = (env: 'test' | 'live'): string => new ClientTokens(stores.secrets, env).issue(claims);
      expect(service.access.authentication.clientToken(tokenOf(mode), now)).to.deep.equal({
        sessionId: 'cs_1',
        accountId: 'acc_1',
      });
      expect(service.access.authentication.clientToken(tokenOf(other), now)).to.equal(undefined);
      const read = await service.queries.readClientSession(tokenOf(other), merchant('acc_1'));
      expect(read).to.include({ kind: 'rejected', errorId: 'ClientSessionValidationError' });
    });
  });
}

// counterfoil keys: made, narrowed, rotated and revoked beside a running service.
import { expect } from 'chai';
import { z } from 'zod';
import { createSession, firstKeyIn, Place, type Serving } from './processes.ts';

interface Made {
  readonly id: string;
  readonly key: string;
  readonly scopes: readonly string[];
  readonly accountId: string;
  readonly expiresAt: string | null;
}
const isMade = (value: unknown): value is Made => typeof value === 'object' && value !== null && 'key' in value;

describe('counterfoil keys, beside a running service', () => {
  const place = new Place();
  let serving: Serving;
  before(async () => {
    serving = await place.serve();
  });
  after(() => place.remove());

  const made = async (command: string): Promise<Made> => {
    const printed = await place.json(command);
    if (!isMade(printed)) throw new Error(`${command} printed no key`);
    return printed;
  };

  it('make a key that opens the service at once, for as long as it is said', async () => {
    const before = Date.now();
    const key = await made('keys create --name backend --scopes all --expires 90d');
    expect(key).to.have.all.keys('id', 'key', 'name', 'scopes', 'accountId', 'expiresAt');
    expect(key.scopes).to.have.length(9);
    expect(Date.parse(key.expiresAt ?? '') - before).to.be.within(
      90 * 86_400_000,
      90 * 86_400_000 + (Date.now() - before),
    );
    expect(await createSession(serving.url, key.key)).to.equal(200);
  });

  it('revoked, are refused on the next request', async () => {
    const key = await made('keys create --name gone --scopes all');
    expect(await createSession(serving.url, key.key)).to.equal(200);
    const revoked = await place.run(`keys revoke ${key.id}`);
    expect(revoked).to.deep.equal({ code: 0, stdout: `${key.id} is revoked.\n`, stderr: '' });
    expect(await createSession(serving.url, key.key)).to.equal(401);
    expect(await place.run(`keys set-scopes ${key.id} --scopes all`)).to.include({
      code: 1,
      stderr: 'The API key is revoked.\n',
    });
  });

  it('lose and get back scopes from one request to the next', async () => {
    const key = await made('keys create --name narrow --scopes transactions:retrieve');
    expect(await createSession(serving.url, key.key)).to.equal(403);
    await place.json(`keys set-scopes ${key.id} --scopes client_tokens:write`);
    expect(await createSession(serving.url, key.key)).to.equal(200);
  });

  it('rotated, are good with both secrets while the rotation overlaps, and only with the new one without', async () => {
    const first = await made('keys create --name rotated --scopes all');
    const second = await made(`keys rotate ${first.id} --overlap 1h`);
    expect(await Promise.all([first, second].map(({ key }) => createSession(serving.url, key)))).to.deep.equal([
      200, 200,
    ]);
    const third = await made(`keys rotate ${first.id} --overlap 0s`);
    expect(await Promise.all([first, second, third].map(({ key }) => createSession(serving.url, key)))).to.deep.equal([
      401, 401, 200,
    ]);
  });

  it('have URLs for processors that cannot send a header, until the URLs or the keys are revoked', async () => {
    const key = await made('keys create --name acquirer --scopes third_party:webhook_trigger');
    const added = await place.json(`webhooks incoming add --processor sandbox --key ${key.id}`);
    const { id, url } = z.object({ id: z.string(), url: z.string() }).loose().parse(added);
    const { pathname } = new URL(url);
    // Its credentials are good; the signature is not the sandbox's.
    const ask = async (): Promise<string> => {
      const answer = await fetch(`${serving.url}${pathname}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: '{}',
      });
      return z.object({ error: z.object({ description: z.string() }).loose() }).parse(await answer.json()).error
        .description;
    };
    expect(await ask()).to.equal("The processor's signature is missing or not valid.");
    const listed = JSON.stringify(await place.json('webhooks incoming list'));
    expect(listed).to.contain(id).and.to.not.contain(pathname.slice(-20));
    expect(await place.run(`webhooks incoming revoke ${id}`)).to.deep.equal({
      code: 0,
      stdout: `${id} is revoked.\n`,
      stderr: '',
    });
    expect(await ask()).to.equal('The credentials are missing or not valid.');
    expect(await place.run(`webhooks incoming add --processor nobody --key ${key.id}`)).to.include({ code: 1 });
    expect(await place.run(`webhooks incoming revoke ${key.id}.9`)).to.include({
      code: 1,
      stderr: 'There is no such incoming webhook.\n',
    });
  });

  it('are listed without their secrets', async () => {
    const { stdout } = await place.run('keys list --json');
    expect(stdout).not.to.contain('cf_test_');
    const {
      data,
    }: {
      readonly data: readonly { readonly name: string; readonly purpose: string; readonly scopes: readonly string[] }[];
    } = JSON.parse(stdout);
    expect(data.find(({ purpose }) => purpose === 'sandbox')?.scopes).to.deep.equal(['third_party:webhook_trigger']);
    expect(data.map(({ name }) => name)).to.include.members(['First key', 'Sandbox', 'backend', 'gone']);
  });

  it('print the key alone on stdout, so that a script can take it', async () => {
    const { stdout, stderr } = await place.run('keys create --name script --scopes all');
    expect(stdout).to.match(/^cf_test_\S+\n$/);
    expect(stderr).to.contain('cannot be shown again');
  });

  it('for management have grants and no scopes, and open /management alone', async () => {
    const key = await made('keys create --name terraform --management --grants transactions:retrieve');
    expect(key).to.deep.include({ scopes: [], grants: ['transactions:retrieve'] });
    const asked = ['/management/keys', '/payments'].map(
      async (path) => (await fetch(`${serving.url}${path}`, { headers: { 'x-api-key': key.key } })).status,
    );
    expect(await Promise.all(asked)).to.deep.equal([200, 403]);
    const wrong = ['--management --scopes all', '--scopes all --grants all', ''];
    expect(await place.codes(wrong.map((flags) => `keys create --name x ${flags}`))).to.deep.equal([2, 2, 2]);
  });

  it('belong to an account that can be renamed', async () => {
    const { accountId } = await made('keys create --name y --scopes all');
    expect(await place.json(`accounts rename ${accountId} Corner`)).to.include({ id: accountId, name: 'Corner' });
    expect(await place.codes(['accounts rename acc_nobody Corner'])).to.deep.equal([1]);
  });

  it('refuse unknown scopes, durations and ids', async () => {
    const wrong = [
      'create --name x --scopes everything',
      'create --name x --scopes all --expires soon',
      'create --scopes all',
      'revoke key_nobody',
    ];
    expect(await place.codes(wrong.map((command) => `keys ${command}`))).to.deep.equal([2, 2, 2, 1]);
  });

  it('are of the only account, and of a named one as soon as there are several', async () => {
    const account = await place.json('accounts create --name Second');
    if (typeof account !== 'object' || account === null || !('id' in account)) throw new Error('no account');
    const { code, stderr } = await place.run('keys create --name x --scopes all');
    expect({ code, stderr }).to.deep.equal({
      code: 2,
      stderr: 'There are several accounts. Name one with --account (`counterfoil accounts list`).\n',
    });
    const key = await made(`keys create --name x --scopes all --account ${account.id}`);
    expect(key.accountId).to.equal(account.id);
    expect(await createSession(serving.url, key.key)).to.equal(200);
    expect((await place.run('keys create --name x --scopes all --account acc_nobody')).code).to.equal(1);
    const sandboxKeys = await place.json(`keys list --account ${account.id}`);
    expect(JSON.stringify(sandboxKeys)).to.contain('"purpose":"sandbox"');
    expect(firstKeyIn(serving.stdout())).not.to.equal(key.key);
  });
});

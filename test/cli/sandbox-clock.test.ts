// The business clock as an operator moves it: beside two running nodes, which have the new time when the command has
// ended.
import { expect } from 'chai';
import { authorized, paymentIn } from '../support/load-calls.ts';
import { Client } from '../support/load-client.ts';
import { until } from '../support/until.ts';
import { createSession, firstKeyIn, Place, type Serving } from './processes.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const EXPIRES_AFTER_7_DAYS = '4000009900003032';

/** How far (ms) the node's time, as its responses show it, is ahead of this machine's. */
async function aheadMs({ url }: Serving, key: string): Promise<number> {
  const response = await fetch(`${url}/client-session`, {
    method: 'POST',
    headers: { 'X-Api-Key': key, 'Content-Type': 'application/json' },
    body: '{"orderId":"o","currencyCode":"EUR","amount":100}',
  });
  const { clientTokenExpirationDate }: { readonly clientTokenExpirationDate: string } = JSON.parse(
    await response.text(),
  );
  return Date.parse(clientTokenExpirationDate) - DAY_MS - Date.now();
}

describe('counterfoil sandbox clock, beside two running nodes', () => {
  const place = new Place();
  let one: Serving;
  let other: Serving;
  let key: string;
  before(async () => {
    one = await place.serve();
    key = firstKeyIn(one.stdout());
    other = await place.serve();
  });
  after(() => place.remove());

  it('shows the machine’s time at first', async () => {
    expect(await place.json('sandbox clock')).to.include({ offsetMs: 0 });
    const { stdout } = await place.run('sandbox clock');
    expect(stdout).to.match(/^\d{4}-\d\d-\d\dT[\d:.]+Z, the machine’s own\n$/);
  });

  it('moves the time of every node forward, which holds when the command has ended, and adds up', async () => {
    let late = 0;
    const movedTo = async (offsetMs: number): Promise<void> => {
      const isMoved = async (node: Serving): Promise<boolean> =>
        Math.abs((await aheadMs(node, key)) - offsetMs) < HOUR_MS / 2;
      const atOnce = await Promise.all([one, other].map(isMoved));
      if (atOnce.includes(false)) late += 1;
      for (const node of [one, other]) await until(() => isMoved(node));
    };
    expect(await place.json('sandbox clock advance 6d')).to.include({ offsetMs: 6 * DAY_MS });
    await movedTo(6 * DAY_MS);
    expect(await place.json('sandbox clock advance 1d')).to.include({ offsetMs: 7 * DAY_MS });
    await movedTo(7 * DAY_MS);
    const { stdout, code } = await place.run('sandbox clock advance 12h');
    expect({ code, stdout: stdout.slice(25) }).to.deep.equal({ code: 0, stdout: ' 7d 12h ahead of the machine’s\n' });
    await movedTo(7.5 * DAY_MS);
    // as a paused node
    expect(late, 'of three times, that a node did not know of it when the command had ended').to.be.at.most(1);
  });

  it('is on record as an act of an operator, and holds for commands and after a start', async () => {
    const { stdout } = await place.run('audit show store-0');
    expect(stdout).to.match(/BusinessClockMoved +operator cli\s+\{"byMs":43200000,"offsetMs":648000000\}/);
    await other.end('SIGTERM');
    other = await place.serve();
    expect(await aheadMs(other, key)).to.be.above(7 * DAY_MS);
    // A key for a day would have expired long ago by the machine's clock plus seven days.
    const made = await place.json('keys create --name short --scopes all --expires 1d');
    if (typeof made !== 'object' || made === null || !('key' in made)) throw new Error('no key');
    expect(await createSession(one.url, String(made.key))).to.equal(200);
    await place.run('sandbox clock advance 2d');
    await until(async () => (await createSession(one.url, String(made.key))) !== 200);
    expect(await createSession(one.url, String(made.key))).to.equal(401);
  });

  it('does the work that falls due by then at once, on any node', async () => {
    const shop = new Client(one.url, key);
    const { id } = await authorized(shop, {}, EXPIRES_AFTER_7_DAYS);
    const statuses = async (): Promise<readonly string[]> => {
      const reader = new Client(other.url, key);
      const path = `/payments/${id}`;
      const answers = [await shop.call('GET', path), await reader.call('GET', path)];
      reader.close();
      return answers.map((answer) => paymentIn(answer).status);
    };
    await place.run('sandbox clock advance 6d');
    expect(await statuses()).to.deep.equal(['AUTHORIZED', 'AUTHORIZED']);
    await place.run('sandbox clock advance 1d');
    // the policy has been woken; no signal tells the end
    await until(async () => !(await statuses()).includes('AUTHORIZED'));
    expect(await statuses()).to.deep.equal(['CANCELLED', 'CANCELLED']);
    const { stdout } = await place.run(`payments show ${id}`);
    expect(stdout).to.match(/Z +AuthorizationExpired +10\.00 EUR$/m);
    shop.close();
  });

  it('goes neither back nor nowhere, nor beyond ten years, and not at all in live mode', async () => {
    const refused = ['advance 0s', 'advance 4000d', '--mode live', 'advance 1d --mode live'];
    expect(await place.codes(refused.map((command) => `sandbox clock ${command}`))).to.deep.equal([1, 1, 1, 1]);
    expect(
      await place.codes(['advance -1d', 'advance soon', 'advance'].map((command) => `sandbox clock ${command}`)),
    ).to.deep.equal([2, 2, 2]);
    const { stderr } = await place.run('sandbox clock advance 1d --mode live');
    expect(stderr).to.contain('test mode only');
  });
});

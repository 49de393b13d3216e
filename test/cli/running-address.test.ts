// The address that a running service leaves in its data directory, and the commands that find it there.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { z } from 'zod';
import { leaveAddress } from '../../src/cli/addresses.ts';
import { Place } from './processes.ts';

const Linked = z.looseObject({ link: z.string() });
const Url = z.looseObject({ url: z.string() });
const Made = z.looseObject({ id: z.string() });

describe('the address of a running service', () => {
  const places: Place[] = [];
  const placeOf = (): Place => {
    const place = new Place();
    places.push(place);
    return place;
  };
  after(() => Promise.all(places.map((place) => place.remove())));

  let users = 0;
  const originOfLink = async (place: Place, flags = ''): Promise<string> => {
    users += 1;
    const { link } = Linked.parse(await place.json(`users add --email u${users}@example.org --role support ${flags}`));
    return new URL(link).origin;
  };
  const leftIn = (place: Place): readonly string[] => readdirSync(join(place.dir, 'data/running'));
  /** The address of the settings, where no service is found. */
  const OF_SETTINGS = 'http://127.0.0.1:4000';

  it('is found by users, trigger, demo, listen and the URLs of incoming webhooks, whatever its port', async () => {
    const place = placeOf();
    const serving = await place.serve('--log-level error');
    expect(await originOfLink(place)).to.equal(serving.url);
    const { code, stderr } = await place.run('trigger PAYMENT.STATUS');
    expect({ code, stderr: stderr.includes('POST /payments') }).to.deep.equal({ code: 0, stderr: true });
    expect(Url.parse(await place.json('demo')).url).to.equal(serving.url);
    const listening = await place.listen('--forward-to http://127.0.0.1:9');
    expect(listening.stdout()).to.contain(`From:   ${serving.url}\n`);
    await listening.end('SIGINT');
    const { id } = Made.parse(await place.json('keys create --name Hooks --scopes third_party:webhook_trigger'));
    const incoming = await place.json(`webhooks incoming add --processor sandbox --key ${id}`);
    expect(Url.parse(incoming).url).to.match(new RegExp(`^${serving.url}/webhooks/sandbox/`));
  });

  it('is the public URL where the service has one, and gives way to --port and --public-url', async () => {
    const place = placeOf();
    await place.serve('--public-url https://pay.example');
    const { link } = Linked.parse(await place.json('users add --email ada@example.org --role support'));
    expect(link).to.match(/^https:\/\/pay\.example\/dashboard\/#/);
    expect(await originOfLink(place, '--port 4321')).to.equal('http://127.0.0.1:4321');
    expect(await originOfLink(place, '--public-url https://other.example')).to.equal('https://other.example');
  });

  it('is removed when the service ends in order, and users says that none runs', async () => {
    const place = placeOf();
    const serving = await place.serve();
    expect(leftIn(place)).to.deep.equal([`${new URL(serving.url).port}.json`]);
    await serving.end('SIGTERM');
    expect(leftIn(place)).to.deep.equal([]);
    const { stdout, stderr } = await place.run('users add --email ada@example.org --role support');
    expect(stdout).to.match(new RegExp(`^${OF_SETTINGS}/dashboard/#`));
    expect(stderr).to.match(/^No service runs on \S+data, so the link has the address of the settings\.$/m);
  });

  it('of a service that was killed is not used, even if another service has its port', async () => {
    const killed = placeOf();
    const serving = await killed.serve();
    await serving.end('SIGKILL');
    const { port } = new URL(serving.url);
    expect(leftIn(killed)).to.deep.equal([`${port}.json`]);
    const other = placeOf();
    await other.serve(`--port ${port}`);
    expect(await originOfLink(killed)).to.equal(OF_SETTINGS);
    expect(await originOfLink(other)).to.equal(serving.url);
    const again = await killed.serve();
    expect(leftIn(killed)).to.deep.equal([`${new URL(again.url).port}.json`]);
  });

  it('of two services on one directory is that of the later start, then of the other one', async () => {
    const place = placeOf();
    const first = await place.serve();
    const second = await place.serve();
    expect(await originOfLink(place)).to.equal(second.url);
    await second.end('SIGTERM');
    expect(await originOfLink(place)).to.equal(first.url);
  });

  it('of a service with workers is one address, removed when the service ends', async () => {
    const place = placeOf();
    const serving = await place.serve('--workers 2');
    expect(await originOfLink(place)).to.equal(serving.url);
    expect(leftIn(place)).to.deep.equal([`${new URL(serving.url).port}.json`]);
    await serving.end('SIGTERM');
    expect(leftIn(place)).to.deep.equal([]);
  });

  it('is left only where there is a data directory: none is created for it', async () => {
    const dataDir = join(placeOf().dir, 'data');
    const warnings: string[] = [];
    const url = 'http://127.0.0.1:4321';
    const warn = (message: string): void => void warnings.push(message);
    const remove = await leaveAddress({ url, publicUrl: url }, { dataDir, pid: process.pid, warn });
    await remove();
    expect({ warnings, made: existsSync(dataDir) }).to.deep.equal({ warnings: [], made: false });
  });
});

// docker-compose.yml and deploy/haproxy.cfg: their parts run as processes with the settings of these files, and people
// sign in through them.
//
// The addresses of containers become loopback addresses: 127 replaces their first number, 172.30.114.2 is 127.30.114.2.
// The names and ports of services become the address and port of a process for each: two nodes, HAProxy, and the
// stand-ins of both stores. HAProxy calls the nodes from the balancer's address, and people come from the gateway of
// its network, as in docker.
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { expect } from 'chai';
import { isWithin } from '../../src/cli/doctor/checks.ts';
import { readPage } from '../docs/pages.ts';
import {
  type EventStoreDbLoopback,
  openEventStoreDbLoopback,
} from '../support/eventstoredb-loopback/eventstoredb-loopback.ts';
import { freePort } from '../support/free-port.ts';
import { type Haproxy, startHaproxy, whyNoHaproxy } from '../support/haproxy.ts';
import { SET_NAME } from '../support/mongodb-loopback/membership.ts';
import { type MongoDbLoopback, openMongoDbLoopback } from '../support/mongodb-loopback/mongodb-loopback.ts';
import { untilDone } from '../support/until.ts';
import { Place, type Serving } from './processes.ts';

const COMPOSE = readPage('docker-compose.yml').text;
const HAPROXY = readPage('deploy/haproxy.cfg').text;

/** The one value after this name. */
const theValueOf = (name: string): string => new RegExp(`\\b${name}: "?([^\\s,"}]+)`).exec(COMPOSE)?.[1] ?? '';
const [GATEWAY, NEIGHBOUR] = ['127.30.114.1', '127.30.114.129'];
const onLoopback = (address: string): string => address.replace(/^\d+/, '127');

/** Why the parts cannot run here; undefined if they can. */
const whyNot = (): string | undefined =>
  process.platform === 'linux' ? whyNoHaproxy() : 'only Linux answers at every address of 127.0.0.0/8';

describe('docker-compose.yml', () => {
  const balancer = theValueOf('ipv4_address');

  it('trusts the balancer alone, at an address that no other container gets', () => {
    expect(theValueOf('COUNTERFOIL_TRUSTED_PROXIES')).to.equal(balancer).and.not.to.equal('');
    expect(isWithin(balancer, theValueOf('subnet'))).to.equal(true);
    expect(isWithin(balancer, theValueOf('ip_range'))).to.equal(false);
  });

  describe('with its parts as processes', () => {
    let place: Place;
    let events: EventStoreDbLoopback | undefined;
    let readModels: MongoDbLoopback | undefined;
    let haproxy: Haproxy | undefined;
    let nodes: readonly Serving[] = [];
    let publicUrl = '';
    let port = 0;

    before(async function () {
      const why = whyNot();
      if (why !== undefined && process.env['CI'] === 'true') throw new Error(why);
      if (why !== undefined) {
        process.stdout.write(`The parts of docker-compose.yml are not started: ${why}.\n`);
        return this.skip();
      }
      place = new Place();
      const directory = (name: string): string => {
        mkdirSync(join(place.dir, name));
        return join(place.dir, name);
      };
      events = await openEventStoreDbLoopback({ directory: directory('events') });
      readModels = await openMongoDbLoopback({ directory: directory('models') });
      port = await freePort();
      const at: { [service: string]: string } = {
        'eventstore:2113': new URL(events.url).host,
        'mongodb:27017': new URL(readModels.url).host,
        'replicaSet=rs0': `replicaSet=${SET_NAME}`,
        'localhost:4000': `localhost:${port}`, // where the file publishes the balancer
      };
      const env = environmentOf(COMPOSE, at);
      publicUrl = env['COUNTERFOIL_PUBLIC_URL'] ?? '';
      const one = await place.serve('--data-dir one', env);
      at['node-1:4000'] = new URL(one.url).host;
      const two = await place.serve('--data-dir two', { ...env, COUNTERFOIL_SANDBOX_URL: one.url });
      at['node-2:4000'] = new URL(two.url).host;
      nodes = [one, two];
      const file = join(place.dir, 'haproxy.cfg');
      const listening = placed(HAPROXY, at).replace('bind :4000', `bind 127.0.0.1:${port}`);
      writeFileSync(
        file,
        listening.replace('\nbackend nodes\n', `\nbackend nodes\n  source ${onLoopback(balancer)}\n`),
      );
      haproxy = startHaproxy(file);
      await untilDone(async () => expect(await ask('GET', '/health/ready')).to.include({ status: 200 }));
    });
    after(async () => {
      await haproxy?.end();
      await place?.remove();
      await Promise.all([events?.kill(), readModels?.close()]);
    });

    interface Sent {
      readonly body?: object;
      readonly headers?: { readonly [name: string]: string };
      /** Past the balancer. */
      readonly node?: Serving;
    }
    /** As a browser at the public URL asks; past the balancer another container of the network asks. */
    const ask = async (method: string, path: string, { body, headers, node }: Sent = {}) => {
      const asking = request(`${node?.url ?? `http://127.0.0.1:${port}`}${path}`, {
        method,
        agent: false,
        localAddress: node === undefined ? GATEWAY : NEIGHBOUR,
        headers: {
          Host: new URL(publicUrl).host,
          Origin: `http://localhost:${port}`,
          'X-Csrf': '1',
          ...(body !== undefined && { 'Content-Type': 'application/json' }),
          ...headers,
        },
      });
      asking.end(body === undefined ? undefined : JSON.stringify(body));
      const [answer] = await once(asking, 'response');
      const parts: Buffer[] = [];
      for await (const part of answer) parts.push(part);
      const cookie = String(answer.headers['set-cookie']?.[0] ?? '').split(';')[0] ?? '';
      return { status: Number(answer.statusCode), text: Buffer.concat(parts).toString(), cookie };
    };
    const person = { email: 'ada@example.org', password: 'a long enough passphrase' };
    const signIn = (sent: Sent = {}) => ask('POST', '/dashboard/api/sign-in', { ...sent, body: person });
    const addressOf = async (cookie: string): Promise<unknown> => {
      const { text } = await ask('GET', '/dashboard/api/me/security', { headers: { cookie } });
      const { sessions }: { readonly sessions: readonly { readonly address: string; readonly isCurrent: boolean }[] } =
        JSON.parse(text);
      return sessions.find(({ isCurrent }) => isCurrent)?.address;
    };

    it('lets the first owner in by the printed link, and sign in afterwards, on either node', async () => {
      const [, token] =
        /\nDashboard: (?:http:\/\/localhost:\d+)\/dashboard\/#\/welcome\/(\S+)\n/.exec(nodes[0]?.stdout() ?? '') ?? [];
      const welcomed = await ask('POST', '/dashboard/api/welcome', { body: { welcomeToken: token, ...person } });
      expect(welcomed, welcomed.text).to.include({ status: 200 });
      for (const _ of nodes) expect(await signIn()).to.include({ status: 200 });
    });

    it('knows people by the address that the balancer saw, whatever they claim', async () => {
      for (const _ of nodes) {
        const { cookie } = await signIn({ headers: { 'X-Forwarded-For': '203.0.113.7' } });
        expect(await addressOf(cookie)).to.equal(GATEWAY);
      }
    });

    it('believes no other container about addresses', async () => {
      for (const node of nodes) {
        const { cookie } = await signIn({ node, headers: { 'X-Forwarded-For': '203.0.113.7' } });
        expect(await addressOf(cookie)).to.equal(NEIGHBOUR);
      }
    });

    it('lets no caller at what nodes ask each other', async () => {
      expect(await ask('POST', '/internal/sandbox/look-up', { body: {} })).to.include({ status: 404 });
      expect(await ask('POST', '/%69nternal/sandbox/look-up', { body: {} })).to.include({ status: 404 });
    });
  });
});

/** A text with the names and ports of services as they are here. */
const placed = (text: string, at: { readonly [service: string]: string }): string =>
  Object.entries(at).reduce((all, [service, here]) => all.replaceAll(service, here), text);

/** The environment of every node, with the file's own defaults for what an operator may set. */
function environmentOf(
  compose: string,
  at: { readonly [service: string]: string },
): { readonly [variable: string]: string } {
  const block = compose.split('environment: &settings\n')[1]?.split('\n  depends_on:')[0] ?? '';
  const settings = [...block.matchAll(/^ +(COUNTERFOIL_\w+): "?(.+?)"?$/gm)].map(([, name = '', value = '']) => [
    name,
    placed(value.replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1'), at),
  ]);
  const env: { [variable: string]: string } = Object.fromEntries(settings);
  return {
    ...env,
    COUNTERFOIL_TRUSTED_PROXIES: (env['COUNTERFOIL_TRUSTED_PROXIES'] ?? '').split(',').map(onLoopback).join(','),
    COUNTERFOIL_METRICS_PORT: '0', // both nodes are on one machine here
    COUNTERFOIL_SECRET: Buffer.alloc(32, 6).toString('base64url'),
  };
}

// An erasure on one of two nodes that share MongoDB's key store, while the other node reads and writes the customer.
import { expect } from 'chai';
import { z } from 'zod';
import { personalKeyIn } from '../../src/journal/envelope.ts';
import { calmWorld } from '../support/calm-world.ts';
import { eventsAfter } from '../support/http-appended.ts';
import { ok, served } from '../support/load-calls.ts';
import type { Client } from '../support/load-client.ts';
import type { Stores } from '../support/node.ts';
import { until } from '../support/until.ts';
import { Cluster, type ClusterNode } from './cluster.ts';

const PERSON = { firstName: 'Zerlina', emailAddress: 'zerlina.quux@mail.example' };
const Opened = z.looseObject({ clientToken: z.string() });
const Session = z.looseObject({ customer: z.looseObject({ firstName: z.string() }).optional() });

describe('an erasure on one of two nodes', () => {
  let cluster: Cluster;
  let nodes: readonly [ClusterNode, ClusterNode];
  let stores: Stores;

  before(async () => {
    cluster = await Cluster.open();
    nodes = [await cluster.serve(0), await cluster.serve(1)];
    stores = await cluster.stores(calmWorld);
  });
  after(async () => {
    for (const store of [stores.events, stores.keys, stores.readModels, stores.sandbox]) await store?.close();
    await cluster.close();
  });

  const session = async (client: Client): Promise<string> => {
    const body = { orderId: 'o-1', currencyCode: 'EUR', amount: 100, customerId: 'ada', customer: PERSON };
    return Opened.parse(ok(await served(() => client.call('POST', '/client-session', body))).body).clientToken;
  };
  const shown = async (client: Client, clientToken: string): Promise<string | undefined> => {
    const answer = ok(await served(() => client.call('GET', `/client-session?clientToken=${clientToken}`)));
    return Session.parse(answer.body).customer?.firstName;
  };

  it('is in effect on the other node when it is answered, and the old key is written with no more', async () => {
    const [{ client: one }, { client: other }] = nodes;
    const before = await session(one);
    expect(await shown(other, before)).to.equal('Zerlina');
    const meanwhile: string[] = [];
    let isErased = false;
    const writing = (async () => {
      while (!isErased) meanwhile.push(await session(other));
    })();
    await until(() => meanwhile.length > 0); // the other node has the key at hand
    const erased = await one.call('DELETE', '/customers/ada/personal-data');
    const seenAtOnce = await shown(other, before);
    isErased = true;
    await writing;
    expect(erased.status, erased.text).to.equal(200);
    expect(seenAtOnce).to.equal(undefined);
    const later = await session(other);
    for (const { client } of nodes) {
      expect(await shown(client, before)).to.equal(undefined);
      expect(await shown(client, later)).to.equal('Zerlina');
    }

    const events = await eventsAfter(stores.events, -1n);
    const keyed = events.flatMap((stored) => {
      const key = personalKeyIn(stored);
      return key === undefined ? [] : [{ key, stream: stored.stream, revision: stored.revision }];
    });
    const keys = (await stores.keys?.get([...new Set(keyed.map(({ key }) => key))])) ?? [];
    const destroyed = new Set(keys.filter(({ wrapped }) => wrapped === undefined).map(({ id }) => id));
    const erasedAt = new Map(
      events.flatMap(({ type, stream, revision }) => (type === 'CustomerErased' ? [[stream, revision]] : [])),
    );
    const byOldKey = keyed.filter(({ key }) => destroyed.has(key));
    expect(byOldKey.length).to.be.greaterThan(1);
    expect(byOldKey.filter(({ stream, revision }) => revision > (erasedAt.get(stream) ?? -1))).to.deep.equal([]);
    expect(meanwhile.length).to.be.greaterThan(byOldKey.length);

    // what was sent in the first seconds has the old key: no document shows it either
    for (const token of meanwhile.slice(0, byOldKey.length - 1)) expect(await shown(one, token)).to.equal(undefined);
    const { data } = z
      .looseObject({ data: z.array(z.looseObject({ equal: z.boolean() })) })
      .parse(await cluster.json('projections rebuild client-sessions --dry-run'));
    expect(data.map(({ equal }) => equal)).to.deep.equal([true]);
  });
});

// Opening read models in MongoDB: a wrong URL or server is named in words, with a remedy, and without a password.
import { expect } from 'chai';
import { AppError } from '../../src/app-error.ts';
import { EXIT, explain } from '../../src/cli/exit.ts';
import { StoreUnavailable } from '../../src/stores/store-unavailable.ts';
import { ordersOf, row } from '../contract/read-models.suite.ts';
import { type AnsweringServer, serveAnswers } from './mongodb-answers.ts';
import { openModels, startServer } from './mongodb-server.ts';

const timings = { readMs: 400, writeMs: 800, heartbeatMs: 500, silenceMs: 500, longWorkMs: 10_000 };
const HELLO = {
  helloOk: true,
  isWritablePrimary: true,
  maxWireVersion: 21,
  minWireVersion: 0,
  maxBsonObjectSize: 16_777_216,
  ok: 1,
};

async function faultOf(url: string): Promise<AppError> {
  try {
    await (await openModels(url, { timings })).close();
  } catch (fault) {
    if (fault instanceof AppError) return fault;
    throw fault;
  }
  throw new Error('it opened');
}

describe('Opening read models in MongoDB', () => {
  const isHello = (name: string): boolean => /^(hello|ismaster)$/i.test(name);
  const withAnswers = async (
    answer: (name: string, port: number) => object,
    check: (server: AnsweringServer) => Promise<void>,
  ): Promise<void> => {
    const server: AnsweringServer = await serveAnswers((name) => ({ ...answer(name, server.port) }));
    await check(server).finally(server.close);
  };

  it('says that no server answers, and names the remedy', async () => {
    const nobody = await serveAnswers(() => HELLO);
    nobody.close();
    const fault = await faultOf(`mongodb://merchant:s3cret@127.0.0.1:${nobody.port}/models`);
    expect(fault).to.be.instanceOf(StoreUnavailable);
    expect(fault.message)
      .to.contain(`MongoDB at 127.0.0.1:${nobody.port}/models cannot be reached: `)
      .and.contain('Start it or correct the URL');
    expect(String(fault)).not.to.contain('s3cret');
  });

  it('says that the server is not a member of a replica set', () =>
    withAnswers(
      () => HELLO,
      async ({ port }) => {
        const fault = await faultOf(`mongodb://127.0.0.1:${port}`);
        expect(fault.code).to.equal('WrongSettings');
        expect(fault.message)
          .to.contain(`MongoDB at 127.0.0.1:${port}/counterfoil is not a member of a replica set`)
          .and.contain('rs.initiate()');
      },
    ));

  it('says that a sharded cluster is not the kind it needs', () =>
    withAnswers(
      () => ({ ...HELLO, msg: 'isdbgrid' }), // as a mongos says it
      async ({ port }) => {
        const fault = await faultOf(`mongodb://127.0.0.1:${port}`);
        expect(fault.code).to.equal('WrongSettings');
        expect(explain(fault).code).to.equal(EXIT.usage);
        expect(fault.message)
          .to.contain(`MongoDB at 127.0.0.1:${port}/counterfoil is a sharded cluster`)
          .and.contain('replica set');
        // the driver does not even ask it then
        const named = await faultOf(`mongodb://127.0.0.1:${port}/?replicaSet=rs0`);
        expect(explain(named).code).to.equal(EXIT.unavailable);
        expect(named.message).to.contain('Sharded clusters are not supported');
      },
    ));

  it('says that a replica set was never initiated', () =>
    withAnswers(
      () => ({ ...HELLO, isWritablePrimary: false, isreplicaset: true }),
      async ({ port }) => {
        const fault = await faultOf(`mongodb://127.0.0.1:${port}`);
        expect(fault.code).to.equal('StoreUnavailable');
        expect(fault.message).to.contain('must have been initiated');
      },
    ));

  it('says that the user or the password is refused', () =>
    withAnswers(
      (name, port) =>
        isHello(name)
          ? {
              ...HELLO,
              setName: 'rs0',
              hosts: [`127.0.0.1:${port}`],
              me: `127.0.0.1:${port}`,
              saslSupportedMechs: ['SCRAM-SHA-256'],
            }
          : { ok: 0, code: 18, codeName: 'AuthenticationFailed', errmsg: 'Authentication failed.' },
      async ({ port }) => {
        const fault = await faultOf(`mongodb://merchant:s3cret@127.0.0.1:${port}/models`);
        expect(fault.code).to.equal('WrongSettings');
        expect(fault.message).to.contain('refuses the user or the password').and.contain('authSource');
        expect(String(fault)).not.to.contain('s3cret');
      },
    ));

  it('says that the user may not use the database', () =>
    withAnswers(
      (name, port) =>
        isHello(name)
          ? { ...HELLO, setName: 'rs0', hosts: [`127.0.0.1:${port}`], me: `127.0.0.1:${port}` }
          : { ok: 0, code: 13, codeName: 'Unauthorized', errmsg: 'command listCollections requires authentication' },
      async ({ port }) => {
        const fault = await faultOf(`mongodb://127.0.0.1:${port}/models`);
        expect(fault.code).to.equal('WrongSettings');
        expect(fault.message).to.contain('readWrite');
      },
    ));

  it('says that the URL makes no sense, without its password', async () => {
    for (const url of [
      'mongodb://',
      'mongodb://merchant:s3cret@:99999/',
      'mongodb://merchant:s3cret@a/?nonsense=1',
      'mongodb://merchant:s3cr%et@a/',
      'mongodb://merchant:s3cret@a/two.parts',
    ]) {
      const fault = await faultOf(url);
      expect(fault.code, url).to.equal('WrongSettings');
      expect(String(fault)).not.to.contain('s3cr');
    }
  });

  it('keeps its concerns, whatever the URL says', async () => {
    const server = await startServer();
    try {
      const weak = await openModels(
        `${server.loopback.url}&w=1&readConcernLevel=local&readPreference=secondary&journal=false&retryWrites=false`,
      );
      const orders = ordersOf();
      await weak.write(orders, [row('a', 0)]);
      await weak.get(orders, ['a']);
      await weak.close();
      const counts = (await server.loopback.counts()).filter(({ collection }) => collection === `${orders.name}@1`);
      expect(counts.find(({ command }) => command === 'update')?.writeConcern).to.equal('majority');
      expect(counts.find(({ command }) => command === 'find')?.readConcern).to.equal('majority');
    } finally {
      await server.dispose();
    }
  });
});

// A service in this process, over stores that it may share with others. Tests of commands and of races use it.

import type { Adapters } from '../../src/adapters.ts';
import type { Caller } from '../../src/commands/caller.ts';
import { makePayments } from '../../src/commands/payments/payments.ts';
import { WatchedAttempts } from '../../src/commands/payments/watched-attempts.ts';
import { SCOPES } from '../../src/domain/scopes.ts';
import { resolveUnknownOutcomes } from '../../src/policies/due-work.ts';
import { runDue } from '../../src/policies/policy.ts';
import type { Processor } from '../../src/processors/processor.ts';
import { openSandbox } from '../../src/processors/sandbox/sandbox.ts';
import type { Sandbox } from '../../src/processors/sandbox/sandbox-interface.ts';
import { Secrets } from '../../src/secrets.ts';
import { openService, type Service, type ServiceOptions } from '../../src/service.ts';
import type { EventStore } from '../../src/stores/event-store.ts';
import type { KeyStore } from '../../src/stores/key-store.ts';
import { openMemoryEventStore } from '../../src/stores/memory/event-store.ts';
import { memoryReadModels } from '../../src/stores/memory/read-models.ts';
import type { ReadModelStore } from '../../src/stores/read-models.ts';
import { observed } from '../../src/telemetry/observed.ts';
import type { Sinks } from '../../src/telemetry/sinks.ts';
import { newId, type World } from '../../src/world.ts';
import { calmWorld } from './calm-world.ts';

export interface Stores {
  readonly events: EventStore;
  /** Left out: personal data is recorded plain. */
  readonly keys?: KeyStore;
  readonly readModels: ReadModelStore;
  readonly sandbox: Sandbox;
  readonly world: World;
  readonly secrets: Secrets;
}

export const memoryStores = async (world: World = calmWorld): Promise<Stores> => {
  const secrets = new Secrets([Buffer.alloc(32, 7)]);
  const sandbox = await openSandbox({
    file: 'memory',
    world,
    secrets: secrets.keys('sandbox-signature'),
    report: () => undefined,
  });
  return { events: openMemoryEventStore(), readModels: memoryReadModels(), sandbox, world, secrets };
};

export interface TestNode {
  readonly service: Service;
  readonly reported: readonly unknown[];
}

interface NodeOptions {
  /** `none`: a node in live mode that has no connection yet. */
  readonly processor?: Processor | 'none';
  /** The processors that connections may name. */
  readonly openable?: NonNullable<Adapters['openable']>;
  readonly sinks?: Sinks;
  /** Jumps of the business clock also cover the longest call of another process: after one no call is under way. */
  readonly leaps?: boolean;
}

/** Opens a service on the stores. `processor` replaces the sandbox; `sinks` receive observations. */
export async function nodeOn(
  { events, keys, readModels, sandbox, world, secrets }: Stores,
  { processor = sandbox, openable, sinks, leaps = false, ...options }: Partial<ServiceOptions> & NodeOptions = {},
): Promise<TestNode> {
  const reported: unknown[] = [];
  const adapters = {
    events,
    ...(keys !== undefined && { keys }),
    readModels,
    world,
    processors: new Map<string, Processor>(processor === 'none' ? [] : [[processor.name, processor]]),
    ...(openable !== undefined && { openable }),
    report: (fault: unknown) => void reported.push(fault),
  };
  const steady = (): number => world.steady();
  const paymentsOf: typeof makePayments = (parts) =>
    makePayments({ ...parts, watched: new WatchedAttempts({ steady, monotonic: steady }) });
  const service = await openService(sinks === undefined ? adapters : observed(adapters, sinks), {
    mode: 'test',
    secrets,
    publicUrl: () => 'http://127.0.0.1:4000',
    post: async () => ({ fault: 'this node calls nobody' }),
    ...(leaps && { paymentsOf }),
    ...options,
  });
  return { service, reported };
}

/** Looks up the due attempts, as the policy does. Answers the number of payments. */
export const lookUpDue = ({ service }: Pick<TestNode, 'service'>): Promise<number> =>
  runDue(resolveUnknownOutcomes(service.work), service.readModels, service.work);

export const merchant = (accountId: string, world: World = calmWorld, key?: string, request = ''): Caller => ({
  accountId,
  actor: { kind: 'apiKey', id: 'key_test' },
  at: world.now(),
  requestId: newId(world, 'req'),
  scopes: new Set<string>(SCOPES),
  address: '127.0.0.1',
  ...(key !== undefined && { idempotency: { key, request } }),
});

export const checkout = (accountId: string, sessionId: string, world: World = calmWorld): Caller => ({
  accountId,
  sessionId,
  actor: { kind: 'checkout', id: sessionId },
  at: world.now(),
  requestId: newId(world, 'req'),
  scopes: new Set<string>(),
  address: '127.0.0.1',
});

export const card = (number = '4242424242424242') => ({
  card: { number, expirationMonth: '12', expirationYear: '2039', cvc: '123', cardholderName: 'Ada Lovelace' },
});

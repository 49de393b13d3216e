// A disputed payment on a node whose due work on disputes is done on call, and the record of the dispute in the log.
import type { PaymentEvent } from '../../src/domain/payment/events.ts';
import type { Dispute } from '../../src/domain/payment/payment.ts';
import { attendDisputes } from '../../src/policies/due-work.ts';
import { runDue } from '../../src/policies/policy.ts';
import type { Service } from '../../src/service.ts';
import { known } from './answers.ts';
import { type DisputedPayment, disputedPayment } from './disputed-payment.ts';
import { memoryStores, nodeOn, type Stores, type TestNode } from './node.ts';
import { type Script, scripted } from './scripted-processor.ts';
import { type MovableWorld, movableWorld } from './test-world.ts';

export interface AttendedDispute {
  readonly world: MovableWorld;
  readonly stores: Stores;
  readonly node: TestNode;
  readonly disputed: DisputedPayment;
  /** Does what is due; answers the number of payments. */
  readonly attend: () => Promise<number>;
  readonly dispute: () => Promise<Dispute>;
  readonly events: () => Promise<readonly PaymentEvent[]>;
  /** The types of the dispute's events after its opening, with the source of their evidence where they have one. */
  readonly told: () => Promise<readonly string[]>;
}

/** `lookUpDispute` in place of the sandbox's own. Its world is given back before the time to answer is over. */
export async function attendedDispute(
  accountId: string,
  lookUpDispute?: Script['lookUpDispute'],
): Promise<AttendedDispute> {
  const world = movableWorld();
  const stores = await memoryStores(world);
  const node = await nodeOn(stores, {
    processor: scripted(stores.sandbox, lookUpDispute === undefined ? {} : { lookUpDispute }),
  });
  const disputed = await disputedPayment(node.service, world, accountId);
  const events = async (): Promise<readonly PaymentEvent[]> => {
    const all: PaymentEvent[] = [];
    for await (const { event } of node.service.streams.payments.history(disputed.id, -1)) all.push(event);
    return all;
  };
  return {
    world,
    stores,
    node,
    disputed,
    attend: () => attendOn(node.service),
    async dispute() {
      const [one] = known((await node.service.streams.payments.current(disputed.id)).state).disputes;
      if (one === undefined) throw new Error('there is no dispute');
      return one;
    },
    events,
    told: async () =>
      (await events())
        .filter(({ type }) => type.startsWith('Dispute'))
        .slice(1)
        .map(({ type, data }) => ('evidence' in data ? `${type}/${data.evidence?.source}` : type)),
  };
}

/** Does the due work on disputes that a node finds. */
export const attendOn = ({ work, readModels }: Service): Promise<number> =>
  runDue(attendDisputes(work), readModels, work);

// Carries out the orders of a test.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Appends } from './append/appends.ts';
import type { Counters } from './counters.ts';
import type { Faults } from './faults.ts';
import type { GrpcServer } from './grpc/grpc-server.ts';
import type { EventLog } from './log/event-log.ts';
import type { EventStoreDbOrder } from './orders.ts';
import type { Subscriptions } from './read/subscriptions.ts';

const slowStartFile = (directory: string): string => join(directory, 'slow-start-ms');

/** The file that holds how long the server is not ready after a start; see the order. */
export function readSlowStart(directory: string): number {
  try {
    return Number(readFileSync(slowStartFile(directory), 'utf8'));
  } catch {
    return 0;
  }
}

interface Parts {
  readonly log: EventLog;
  readonly faults: Faults;
  readonly counters: Counters;
  readonly appends: Appends;
  readonly subscriptions: Subscriptions;
  readonly grpc: GrpcServer;
  readonly directory: string;
}

export class Control {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  carryOut(order: unknown): unknown {
    if (!isOrder(order)) throw new Error('not an order');
    const { log, faults, counters, appends, subscriptions, grpc, directory } = this.#parts;
    switch (order.order) {
      case 'cut appends':
      case 'ignore appends':
      case 'delay appends':
      case 'answer appends twice':
        return faults.add(order);
      case 'drop subscriptions':
        subscriptions.dropAll(order.as ?? 'too_slow', true);
        if (order.everyMs !== undefined) subscriptions.dropEvery(order.everyMs, order.as ?? 'too_slow');
        return undefined;
      case 'hold subscriptions':
        faults.held = order.held;
        return subscriptions.pushAll();
      case 'limit live buffer':
        faults.liveBuffer = order.events;
        return undefined;
      case 'slow answers':
        faults.slowMs = order.ms;
        return undefined;
      case 'refuse $all':
        faults.allRefused = order.refused ?? true;
        return undefined;
      case 'shift clock':
        faults.clockMs = order.ms;
        return undefined;
      case 'be not ready':
        faults.readyAt = Date.now() + order.ms;
        return undefined;
      case 'start slowly':
        return writeFileSync(slowStartFile(directory), String(order.ms));
      case 'end within':
        faults.terminationMs = order.ms;
        return undefined;
      case 'quorum':
        return order.is === 'lost' ? appends.loseQuorum() : appends.regainQuorum(order.is === 'back');
      case 'cut connections':
        return grpc.cutAll();
      case 'behave':
        subscriptions.dropEvery(0, 'too_slow');
        faults.behave();
        appends.regainQuorum(true);
        return subscriptions.pushAll();
      case 'count':
        return counters.told(order.prefix, {
          connections: grpc.connections(),
          live: subscriptions.live,
          events: log.count,
          end: log.end,
        });
      default:
        return order satisfies never;
    }
  }
}

const isOrder = (order: unknown): order is EventStoreDbOrder =>
  typeof order === 'object' && order !== null && 'order' in order;

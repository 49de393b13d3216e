// An EventStoreDB, the given one or a stand-in of its own, and stores on it that wait less than real ones; their
// notices are kept.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventStore } from '../../src/stores/event-store.ts';
import { type EventStoreDbOptions, openEventStoreDb } from '../../src/stores/eventstoredb/event-store.ts';
import { defaultTimings } from '../../src/stores/eventstoredb/timings.ts';
import { calmWorld, pause } from '../support/calm-world.ts';
import {
  type EventStoreDbLoopback,
  openEventStoreDbLoopback,
} from '../support/eventstoredb-loopback/eventstoredb-loopback.ts';
import { type Given, GivenServer, givenIn } from '../support/given-server.ts';
import { leaveOut } from '../support/left-out.ts';
import { PATIENT } from './patient-timings.ts';

/** The counts of adapters. */
export interface Counted {
  retried: number;
  outcomeUnknown: number;
  dropped: number;
  /** In the order in which it was said. */
  readonly available: boolean[];
}

export interface UnderTest {
  readonly server: EventStoreDbLoopback;
  readonly reported: unknown[];
  readonly counted: Counted;
  /** Ends the test as left out where the server lacks this: a stand-in has all. */
  needs(what: 'a kill' | 'an empty log'): void;
  /** Opens a store on the server, or on another URL. */
  open(options?: Partial<EventStoreDbOptions>): Promise<EventStore>;
  /** Closes the stores, ends the stand-in and removes its data. */
  dispose(): Promise<void>;
}

/** A missing answer is given up soon: for servers that are paused, ended, or told not to answer. */
export const QUICK = {
  ...defaultTimings,
  tryMs: 400,
  proofMs: 400,
  readMs: 800,
  unavailableReadMs: 400,
  startMs: 1_500,
  closeMs: 1_000,
  absenceMs: 300,
};

interface Opened extends Pick<UnderTest, 'server' | 'needs'> {
  readonly end: () => Promise<void>;
}

async function openStandIn(): Promise<Opened> {
  const directory = await mkdtemp(join(tmpdir(), 'counterfoil-esdb-'));
  const server = await openEventStoreDbLoopback({ directory });
  const end = async (): Promise<void> => {
    await server.kill();
    await rm(directory, { recursive: true });
  };
  return { server, needs: () => undefined, end };
}

/** Its tests are left out where only a stand-in does what they order, or counts what it was asked. */
async function openGiven(given: Given): Promise<Opened> {
  const real = await GivenServer.open(given, 2113);
  const server: EventStoreDbLoopback = {
    url: real.url,
    start: () => real.start(),
    freeze: () => real.freeze(),
    thaw: () => real.thaw(),
    kill: () => real.kill(),
    terminate: async () => leaveOut('only the stand-in can be asked to end'),
    async order(order) {
      if (order.order === 'cut connections') real.cut();
      else if (order.order === 'behave') real.thaw();
      else leaveOut(`only the stand-in takes the order "${order.order}"`);
    },
    counters: async () => leaveOut('only the stand-in counts what it was asked'),
  };
  const needs = (what: 'a kill' | 'an empty log'): void => {
    if (what === 'a kill') real.needsKill();
    else leaveOut('the log of a given server holds events of earlier tests');
  };
  return { server, needs, end: () => real.end() };
}

/** On the server that EVENTSTOREDB_URL names; without one on a stand-in. */
export async function eventStoreDbUnderTest(given = givenIn('EVENTSTOREDB')): Promise<UnderTest> {
  const { server, needs, end } = given === undefined ? await openStandIn() : await openGiven(given);
  const opened: EventStore[] = [];
  const reported: unknown[] = [];
  const counted: Counted = { retried: 0, outcomeUnknown: 0, dropped: 0, available: [] };
  const count = (what: 'retried' | 'outcomeUnknown' | 'dropped') => (): void => {
    counted[what] += 1;
  };
  const meters = {
    retried: count('retried'),
    outcomeUnknown: count('outcomeUnknown'),
    dropped: count('dropped'),
    available: (isAvailable: boolean) => void counted.available.push(isAvailable),
  };
  return {
    server,
    needs,
    reported,
    counted,
    open: async (options = {}) => {
      const report = (fault: unknown): void => void reported.push(fault);
      const store = await openEventStoreDb({
        url: server.url,
        world: calmWorld,
        report,
        meters,
        timings: PATIENT,
        ...options,
      });
      opened.push(store);
      return store;
    },
    dispose: async () => {
      await Promise.all(opened.map((store) => store.close()));
      await end();
    },
  };
}

/** Asks until it is so; fails when it is not within `ms` of an undisturbed machine. */
export async function soon(what: string, holds: () => boolean | Promise<boolean>, ms = 60_000): Promise<void> {
  const until = calmWorld.monotonic() + ms;
  while (!(await holds())) {
    if (calmWorld.monotonic() > until) throw new Error(`not within ${ms} ms: ${what}`);
    await pause(10);
  }
}

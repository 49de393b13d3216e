// The work of counterfoil trigger: makes the chain of objects that a type of message comes of, on a running service in
// test mode.
import { readConfig } from '../../config.ts';
import { SCOPES } from '../../domain/api-key/scopes.ts';
import { CHECKPOINTS_ID } from '../../domain/checkpoint/state.ts';
import { CHECKPOINT_TYPE } from '../../domain/webhook-endpoint/types.ts';
import type { Collection, ReadModels } from '../../stores/read-models.ts';
import { liveWorld, newId, type World } from '../../world.ts';
import { knowingService } from '../addresses.ts';
import type { Given } from '../command.ts';
import { type DemoExchange, ShopCalls } from '../demo/calls.ts';
import { serviceThatRuns } from '../demo/service-for-demo.ts';
import { whichAccount } from '../named.ts';
import type { Opened } from '../open/open.ts';
import { type CommandResult, tell } from '../output.ts';
import type { trigger as rows } from '../rows/trial.ts';
import { list } from '../table.ts';
import { awaitMessage, CHAINS, type InTurn, newestCheckpoint, type RecordedCheckpoint } from './chains.ts';

const HOUR_MS = 3_600_000;

export async function trigger(given: Given<typeof rows.trigger>): Promise<CommandResult> {
  const { event: type } = given;
  const config = await knowingService(readConfig(given, process.env), given);
  let inTurn: InTurn = (work) => work();
  let madeSize = 0;
  const key = { scopes: SCOPES, lifeMs: HOUR_MS };
  const service = await serviceThatRuns(config, given.url, key, async (opened) => {
    const accountId = await whichAccount(opened, given);
    inTurn = inTurnFor(opened.service.readModels, liveWorld, accountId);
    if (type === CHECKPOINT_TYPE) madeSize = await recordCheckpoint(opened);
    return accountId;
  });
  const made: object[] = [];
  const each = ({ method, path, status, ms }: DemoExchange): void => {
    made.push({ method, path, status, ms });
    if (given.json !== true) tell(`${`${method} ${shortened(path)}`.padEnd(66)} ${status} ${`${ms} ms`.padStart(7)}`);
  };
  try {
    const parts = { calls: new ShopCalls(service.url, service.key, liveWorld, each), world: liveWorld, inTurn };
    if (type === CHECKPOINT_TYPE) {
      const checkpoint = await newestCheckpoint(parts, madeSize);
      return { json: { eventType: type, checkpoint, calls: made }, text: checkpointAsText(checkpoint) };
    }
    const paymentId = await CHAINS[type](parts);
    const { eventId, sequence, payment } = await awaitMessage(parts, paymentId, type);
    const message = { eventId, eventType: type, paymentId, sequence, status: payment.status };
    return { json: { ...message, calls: made }, text: asText(message) };
  } finally {
    await service.end();
  }
}

/**
 * What the service does each hour, now; answers how many events the newest checkpoint covers. A log without new events
 * has its checkpoint already.
 */
async function recordCheckpoint({ service }: Opened): Promise<number> {
  await service.work.makeCheckpoint(0, 'trigger', new AbortController().signal);
  const { state } = await service.streams.checkpoints.current(CHECKPOINTS_ID);
  return state.status === 'made' ? state.newest.treeSize : 0;
}

const checkpointAsText = ({ treeSize, root, madeAt }: RecordedCheckpoint): string =>
  list([
    ['message', `${CHECKPOINT_TYPE}, to endpoints that name the type`],
    ['signed at', madeAt],
    ['events', String(treeSize)],
    ['root', root],
  ]);

/** Ids of payments and disputes by their ends: a line of 80 columns has room for two. */
const shortened = (path: string): string => path.replace(/(pay|dsp|disp|dp)_\w+(\w{6})/g, '$1_…$2');

const asText = (
  message: { readonly [name in 'eventId' | 'eventType' | 'paymentId' | 'status']: string } & {
    readonly sequence: number;
  },
) =>
  list([
    ['message', message.eventType],
    ['event', message.eventId],
    ['payment', message.paymentId],
    ['status', message.status],
    ['sequence', String(message.sequence)],
    ['its history', `npx counterfoil payments show ${message.paymentId}`],
  ]);

/** A guarded document: of two that write the same revision, one is told that it was written. No holder: it is free. */
const turns: Collection<{ readonly holder: string }, never> = { name: 'rule-turns', version: 1, keys: {}, indexes: [] };

const LOOK_EVERY_MS = 100;
/** A holder needs a second or two; one that was killed is waited for so long. */
const DEAD_MS = 15_000;

/**
 * One `trigger` at a time changes the sandbox's rules of an account: a plan is replaced as a whole, and two would take
 * each other's rule away. Throws StoreUnavailable.
 */
const inTurnFor =
  (readModels: Pick<ReadModels, 'get' | 'write'>, world: World, accountId: string): InTurn =>
  async (work) => {
    const holder = newId(world, 'turn');
    const write = async (revision: number, by: string): Promise<boolean> =>
      (await readModels.write(turns, [{ id: accountId, revision, doc: { holder: by } }])).length > 0;
    let seen = { revision: -2, since: world.monotonic() };
    for (;;) {
      const [row] = await readModels.get(turns, [accountId]);
      const revision = row?.revision ?? -1;
      if (seen.revision !== revision) seen = { revision, since: world.monotonic() };
      const isFree = row === undefined || row.doc.holder === '' || world.monotonic() - seen.since > DEAD_MS;
      if (isFree && (await write(revision + 1, holder))) {
        try {
          return await work();
        } finally {
          await write(revision + 2, '');
        }
      }
      await world.sleep(LOOK_EVERY_MS, new AbortController().signal);
    }
  };

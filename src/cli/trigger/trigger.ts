// counterfoil trigger: makes the chain of objects that a type of message comes of, on a running service in test mode.
import type { Command } from 'commander';
import { CHECKPOINTS_ID } from '../../domain/checkpoint/state.ts';
import { CHECKPOINT_TYPE, WEBHOOK_TYPES, type WebhookType } from '../../domain/webhook-endpoint/types.ts';
import { type CommonOptions, configOf, declare, OWN_SERVICE_SETTINGS } from '../command.ts';
import type { DemoExchange } from '../demo/exchange.ts';
import { parseMessageType } from '../message-types.ts';
import type { Opened } from '../open/open.ts';
import { print, tell } from '../output.ts';
import { list } from '../table.ts';
import { ACCOUNT_FLAG, type AccountOption } from '../which-account.ts';
import type { RecordedCheckpoint } from './await-message.ts';
import type { InTurn } from './rule-turn.ts';

interface TriggerOptions extends CommonOptions, AccountOption {
  readonly url?: string;
}

/** The cause of each type in words; the chains themselves are loaded when one is run. */
const EVENTS: { readonly [T in WebhookType]: string } = {
  'PAYMENT.STATUS': 'a payment is authorized and captured',
  'PAYMENT.REFUND': 'a part of the capture is refunded',
  'PAYMENT.CAPTURE.FAILED': 'a capture is refused 5 s later',
  'PAYMENT.REFUND.FAILED': 'a refund is refused immediately',
  'PAYMENT.CANCELLATION.FAILED': 'a cancellation never arrives (a fault)',
  'PAYMENT.ADJUSTMENT.FAILED': 'an adjustment never arrives (a fault)',
  'DISPUTE.OPENED': 'the customer disputes the payment 5 s later',
  'DISPUTE.STATUS': 'as above, and the shop accepts',
  'AUDIT.CHECKPOINT': 'a checkpoint of the log is recorded',
};
const WIDTH = 30;

export function trigger(parent: Command): void {
  const events = WEBHOOK_TYPES.map((type) => `  ${type.padEnd(WIDTH)}${EVENTS[type]}`);
  declare(parent, {
    usage: 'trigger',
    summary: 'Trigger a webhook by creating a test payment or a checkpoint, and wait for its message (test mode)',
    examples: ['trigger PAYMENT.REFUND', 'trigger payment.capture.failed --url http://127.0.0.1:4100'],
    json: '{eventId, eventType, paymentId, sequence, status, calls: [{method, path, status, ms}]}; of AUDIT.CHECKPOINT {eventType, checkpoint, calls}',
    settings: OWN_SERVICE_SETTINGS,
    appends: false,
  })
    .argument('<event>', 'a type of message, in upper or lower case', parseMessageType)
    .option('--url <url>', 'the running service; without it the service on the data directory')
    .option(...ACCOUNT_FLAG)
    .addHelpText(
      'after',
      `\nEvents:\n${events.join('\n')}\nThe faults are rules of the sandbox, which are removed afterwards.`,
    )
    .action(run);
}

const HOUR_MS = 3_600_000;

async function run(type: WebhookType, options: TriggerOptions): Promise<void> {
  const { knowingService } = await import('../running-address.ts');
  const config = await knowingService(configOf(options), options);
  const { liveWorld: world } = await import('../../world.ts');
  const { serviceThatRuns } = await import('../demo/service-for-demo.ts');
  const { whichAccount } = await import('../which-account.ts');
  const { SCOPES } = await import('../../domain/api-key/scopes.ts');
  const { Client } = await import('../demo/exchange.ts');
  const { CHAINS } = await import('./chains.ts');
  const { awaitMessage, newestCheckpoint } = await import('./await-message.ts');
  const { inTurnFor } = await import('./rule-turn.ts');
  const key = { scopes: SCOPES, lifeMs: HOUR_MS };
  let inTurn: InTurn = (work) => work();
  let madeSize = 0;
  const service = await serviceThatRuns(config, options.url, key, async (opened) => {
    const accountId = await whichAccount(opened, options);
    inTurn = inTurnFor(opened.service.readModels, world, accountId);
    if (type === CHECKPOINT_TYPE) madeSize = await recordCheckpoint(opened);
    return accountId;
  });
  const calls: object[] = [];
  const each = ({ method, path, status, ms }: DemoExchange): void => {
    calls.push({ method, path, status, ms });
    if (options.json !== true) tell(`${`${method} ${shortened(path)}`.padEnd(66)} ${status} ${`${ms} ms`.padStart(7)}`);
  };
  try {
    const parts = { client: new Client(service.url, world, each), apiKey: service.key, world, inTurn };
    if (type === CHECKPOINT_TYPE) {
      const checkpoint = await newestCheckpoint(parts, madeSize);
      return print({ json: { eventType: type, checkpoint, calls }, text: checkpointAsText(checkpoint) }, options);
    }
    const paymentId = await CHAINS[type](parts);
    const { eventId, sequence, payment } = await awaitMessage(parts, paymentId, type);
    const message = { eventId, eventType: type, paymentId, sequence, status: payment.status };
    print({ json: { ...message, calls }, text: asText(message) }, options);
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

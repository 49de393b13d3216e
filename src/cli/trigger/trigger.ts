// counterfoil trigger: makes the chain of objects that a type of message comes of, on a running service in test mode.
import type { Command } from 'commander';
import { MESSAGE_TYPES, type MessageType } from '../../domain/payment/message.ts';
import { type CommonOptions, configOf, declare, OWN_SERVICE_SETTINGS } from '../command.ts';
import type { DemoExchange } from '../demo/exchange.ts';
import { parseMessageType } from '../message-types.ts';
import { print, tell } from '../output.ts';
import { list } from '../table.ts';
import { ACCOUNT_FLAG, type AccountOption } from '../which-account.ts';
import type { InTurn } from './rule-turn.ts';

interface TriggerOptions extends CommonOptions, AccountOption {
  readonly url?: string;
}

/** The cause of each type in words; the chains themselves are loaded when one is run. */
const EVENTS: { readonly [T in MessageType]: string } = {
  'PAYMENT.STATUS': 'a payment is authorized and captured',
  'PAYMENT.REFUND': 'a part of the capture is refunded',
  'PAYMENT.CAPTURE.FAILED': 'a capture is refused 5 s later',
  'PAYMENT.REFUND.FAILED': 'a refund is refused immediately',
  'PAYMENT.CANCELLATION.FAILED': 'a cancellation never arrives (a fault)',
  'PAYMENT.ADJUSTMENT.FAILED': 'an adjustment never arrives (a fault)',
  'DISPUTE.OPENED': 'the customer disputes the payment 5 s later',
  'DISPUTE.STATUS': 'as above, and the shop accepts',
};
const WIDTH = 30;

export function trigger(parent: Command): void {
  const events = MESSAGE_TYPES.map((type) => `  ${type.padEnd(WIDTH)}${EVENTS[type]}`);
  declare(parent, {
    usage: 'trigger',
    summary: 'Trigger a webhook by creating a test payment, and wait for its message (test mode)',
    examples: ['trigger PAYMENT.REFUND', 'trigger payment.capture.failed --url http://127.0.0.1:4100'],
    settings: OWN_SERVICE_SETTINGS,
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

async function run(type: MessageType, options: TriggerOptions): Promise<void> {
  const { knowingService } = await import('../running-address.ts');
  const config = await knowingService(configOf(options), options);
  const { liveWorld: world } = await import('../../world.ts');
  const { serviceThatRuns } = await import('../demo/service-for-demo.ts');
  const { whichAccount } = await import('../which-account.ts');
  const { SCOPES } = await import('../../domain/api-key/scopes.ts');
  const { Client } = await import('../demo/exchange.ts');
  const { CHAINS } = await import('./chains.ts');
  const { awaitMessage } = await import('./await-message.ts');
  const { inTurnFor } = await import('./rule-turn.ts');
  const key = { scopes: SCOPES, lifeMs: HOUR_MS };
  let inTurn: InTurn = (work) => work();
  const service = await serviceThatRuns(config, options.url, key, async (opened) => {
    const accountId = await whichAccount(opened, options);
    inTurn = inTurnFor(opened.service.readModels, world, accountId);
    return accountId;
  });
  const calls: object[] = [];
  const each = ({ method, path, status, ms }: DemoExchange): void => {
    calls.push({ method, path, status, ms });
    if (options.json !== true) tell(`${`${method} ${shortened(path)}`.padEnd(66)} ${status} ${`${ms} ms`.padStart(7)}`);
  };
  try {
    const parts = { client: new Client(service.url, world, each), apiKey: service.key, world, inTurn };
    const paymentId = await CHAINS[type](parts);
    const { eventId, sequence, payment } = await awaitMessage(parts, paymentId, type);
    const message = { eventId, eventType: type, paymentId, sequence, status: payment.status };
    print({ json: { ...message, calls }, text: asText(message) }, options);
  } finally {
    await service.end();
  }
}

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

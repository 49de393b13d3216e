// The two sandboxes of a routed world: put on record with the first rules, and with issuers that refuse at one of them.

import { createAccount } from '../../src/domain/account.ts';
import { addConnection } from '../../src/domain/connection.ts';
import { operatorContext } from '../../src/journal/contexts.ts';
import { transact } from '../../src/journal/transact.ts';
import { cardOfId } from '../../src/processors/sandbox/cards.ts';
import type { Sandbox } from '../../src/processors/sandbox/sandbox-interface.ts';
import type { Service } from '../../src/service.ts';
import { callOf } from '../support/call-of.ts';
import { ACCOUNT, webhookUrl } from './network.ts';
import { type RefusedTokens, RULES, SANDBOXES } from './routes.ts';

const [, SECOND] = SANDBOXES;
/** In the form by which the sandbox knows the token of a path. */
const SECOND_KEY = `${'2'.repeat(32)}_${'2'.repeat(64)}`;

/** The URL to which the sandbox that has the attempt sends its notifications. */
export const notificationUrl = (connectionId: string | undefined): string =>
  connectionId === SECOND ? webhookUrl('sandbox', SECOND_KEY) : 'http://node';

/** Puts the second connection and the first rules on record. */
export async function connectTwo(service: Service, sandbox: Sandbox, rules: number): Promise<void> {
  const { streams, world } = service;
  const context = operatorContext(world, ACCOUNT);
  await transact(streams.accounts, ACCOUNT, context, createAccount('Shop', true));
  const created = { accountId: ACCOUNT, processor: 'sandbox', name: 'second', secrets: {} };
  await transact(
    streams.connections,
    SECOND,
    context,
    addConnection({ ...created, createdAt: world.now(), webhookKeyId: SECOND_KEY }),
  );
  await sandbox.connect({ accountId: SECOND, apiKey: SECOND_KEY });
  const set = await service.routing.set({ accountId: ACCOUNT, sent: RULES[rules] });
  if (set.kind === 'rejected') throw new Error(set.description);
}

export async function refusedTokens(sandbox: Sandbox): Promise<RefusedTokens> {
  const tokens = new Map<string, { readonly soft: string; readonly hard: string }>();
  for (const connectionId of SANDBOXES) {
    const tokenOf = async (cardId: string): Promise<string> => {
      const [number = ''] = cardOfId(cardId)?.numbers ?? [];
      const card = { number, expirationMonth: '12', expirationYear: '2039', cvc: '123' };
      const made = await sandbox.tokenize(
        { reference: `refused-${cardId}-${connectionId}`, accountId: ACCOUNT, from: { card } },
        { ...callOf(), connection: { connectionId, processor: 'sandbox', secrets: {} } },
      );
      if (made.kind === 'refused') throw new Error(made.description);
      return made.processorToken;
    };
    tokens.set(connectionId, { soft: await tokenOf('processing-error'), hard: await tokenOf('lost-card') });
  }
  return tokens;
}

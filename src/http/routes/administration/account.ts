// The account: read, and renamed.
import { z } from 'zod';
import { identifier } from '../../../commands/fields/text.ts';
import type { OpenAccount } from '../../../domain/account.ts';
import { formatTime } from '../../../world.ts';
import { Instant } from '../../answers/shapes.ts';
import { found, notFound, type Route, route, shaped } from '../../route.ts';
import type { RouteParts } from '../parts.ts';
import type { Way } from './ways.ts';

const ManagedAccount = z
  .strictObject({
    id: z.string().meta({ description: 'The id of the account.' }),
    name: z.string().meta({
      description: 'The name that customers see on payment links and at their bank, and users in the dashboard.',
    }),
    createdAt: Instant.meta({ description: 'When it was created.' }),
  })
  .meta({ id: 'ManagedAccount' });
const RenamedAccount = z
  .strictObject({
    name: identifier.meta({ description: 'The new name, 1 to 255 characters.' }),
  })
  .meta({ id: 'RenamedAccount' });

const answerOf = (id: string, { name, createdAt }: Pick<OpenAccount, 'name' | 'createdAt'>) => ({
  id,
  name,
  createdAt: formatTime(createdAt),
});

export function accountRoutes({ prefix, may }: Way, { access, queries }: RouteParts): readonly Route[] {
  const common = { tag: 'Account', path: `${prefix}/account`, answer: ManagedAccount } as const;
  return [
    route({
      ...common,
      method: 'GET',
      scope: may.account.read,
      id: 'getManagedAccount',
      summary: 'Read the account',
      request: z.object({}),
      async handle(_request, { caller: { accountId } }) {
        const account = await queries.readAccount(accountId);
        return account === undefined ? notFound() : found(answerOf(accountId, account));
      },
    }),
    route({
      ...common,
      method: 'PATCH',
      scope: may.account.change,
      id: 'renameManagedAccount',
      example: { body: { name: 'Corner shop' } },
      summary: 'Rename the account',
      request: z.object({ body: RenamedAccount }),
      handle: async ({ body: { name } }, { caller }) =>
        shaped(await access.renameAccount(caller.accountId, name, caller), ({ id, doc }) =>
          answerOf(id, doc.status === 'absent' ? { name: '', createdAt: 0 } : doc),
        ),
    }),
  ];
}

// The account of a management key: read, and renamed.
import { z } from 'zod';
import type { AccessControl } from '../../../commands/access/access.ts';
import { identifier } from '../../../commands/fields/text.ts';
import { MANAGEMENT } from '../../../domain/api-key/scopes.ts';
import type { Queries } from '../../../queries/queries.ts';
import { formatTime } from '../../../world.ts';
import { found, notFound, type Route, route, shaped } from '../../route.ts';

const ManagedAccount = z
  .strictObject({
    id: z.string().meta({ description: 'The id of the account.' }),
    name: z.string().meta({ description: 'The name that customers see at their bank, and users in the dashboard.' }),
    createdAt: z.iso.datetime({ precision: 3 }).meta({ description: 'When it was created.' }),
  })
  .meta({ id: 'ManagedAccount' });
const RenamedAccount = z
  .strictObject({
    name: identifier.meta({ description: 'The new name, 1 to 255 characters.' }),
  })
  .meta({ id: 'RenamedAccount' });

export type AccountRouteNeeds = Pick<AccessControl, 'renameAccount'> & Pick<Queries, 'readAccount'>;

const common = { tag: 'Account', scope: MANAGEMENT, path: '/management/account', answer: ManagedAccount } as const;

export const managedAccountRoutes = ({ renameAccount, readAccount }: AccountRouteNeeds): readonly Route[] => [
  route({
    ...common,
    method: 'GET',
    id: 'getManagedAccount',
    summary: 'Read the account',
    request: z.object({}),
    async handle(_request, { caller: { accountId: id } }) {
      const account = await readAccount(id);
      return account === undefined
        ? notFound()
        : found({ id, name: account.name, createdAt: formatTime(account.createdAt) });
    },
  }),
  route({
    ...common,
    method: 'PATCH',
    id: 'renameManagedAccount',
    example: { body: { name: 'Corner shop' } },
    summary: 'Rename the account',
    request: z.object({ body: RenamedAccount }),
    handle: async ({ body: { name } }, { caller }) =>
      shaped(await renameAccount(caller.accountId, name, caller), ({ id, doc }) => ({
        id,
        name: doc.status === 'absent' ? '' : doc.name,
        createdAt: formatTime(doc.status === 'absent' ? 0 : doc.createdAt),
      })),
  }),
];

// GET /connections: the processor accounts that take the payments of the account (contract §4, "Connections").
import { z } from 'zod';
import type { ConnectionRow } from '../../commands/connections/connections.ts';
import { CURRENT } from '../../domain/currency.ts';
import { connectionAt, connectionOf } from '../../processors/connections.ts';
import { page } from '../answer-size.ts';
import {
  AccountConnectionListAnswer,
  accountConnectionAnswer,
  type ShownConnection,
} from '../answers/account-connection.ts';
import { type Route, route } from '../route.ts';
import type { RouteParts } from './parts.ts';

/** Sends nothing: the adapters say what they can do, and the node what it has heard. */
export const accountConnectionRoutes = ({ connections, circuits }: RouteParts): readonly Route[] => {
  const shownAs = async (
    accountId: string,
    { connection, ...named }: Pick<ShownConnection, 'connection' | 'name' | 'status'>,
  ): Promise<ShownConnection> => {
    const of = { accountId, connectionId: connection.connectionId };
    const processor = await connections.known.processor(connection.processor);
    return { connection, ...named, processor, circuit: circuits.statusOf(of), calls: circuits.lastCalls(of) };
  };
  const ofRow = ({ id, doc: { processor, name, status } }: ConnectionRow) => ({
    connection: connectionOf({ connectionId: id, processor }),
    name,
    status,
  });
  const builtIn = (name: string) => ({ connection: connectionAt(name), name, status: 'active' as const });
  return [
    route({
      tag: 'Connections',
      method: 'GET',
      path: '/connections',
      scope: 'transactions:retrieve',
      id: 'listConnections',
      example: {},
      summary: 'List the connections to processors, oldest first: what each can do, and whether it responds',
      request: z.object({}),
      answer: AccountConnectionListAnswer,
      async handle(_request, { caller: { accountId } }) {
        const rows = await connections.known.listOf(accountId);
        const all = [...connections.builtIn.map(builtIn), ...rows.map(ofRow)];
        const shown = await Promise.all(all.map((one) => shownAs(accountId, one)));
        return page(
          shown,
          (one) => accountConnectionAnswer(one, CURRENT),
          () => ({}),
        );
      },
    }),
  ];
};

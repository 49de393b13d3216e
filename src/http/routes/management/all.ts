// The routes below /management, for programs with a management key: API keys, webhook endpoints, users and the account
// (contract §12). They have a description of their own; the API of payments does not name them.
import type { Queries } from '../../../queries/queries.ts';
import { openapi } from '../../openapi.ts';
import type { Route } from '../../route.ts';
import { descriptionPage } from '../public.ts';
import { type AccountRouteNeeds, managedAccountRoutes } from './account.ts';
import { type ManagedKeyCommands, managedKeyRoutes } from './api-keys.ts';
import { managedUserRoutes, type UserRouteNeeds } from './users.ts';
import { type EndpointRouteNeeds, managedEndpointRoutes } from './webhook-endpoints.ts';

/** Each subject's functions; a file of routes takes those that it calls. */
interface ManagementParts extends EndpointRouteNeeds, UserRouteNeeds {
  readonly access: ManagedKeyCommands & Pick<AccountRouteNeeds, 'renameAccount'>;
  readonly queries: Queries;
  readonly mode: 'test' | 'live';
}

export function managementRoutes(parts: ManagementParts): readonly Route[] {
  const { access, queries, mode } = parts;
  const all: readonly Route[] = [
    ...managedKeyRoutes({ ...access, ...queries, mode }),
    ...managedEndpointRoutes(parts),
    ...managedUserRoutes(parts),
    ...managedAccountRoutes({ ...access, ...queries }),
    descriptionPage('/management/openapi.json', 'getManagementOpenApi', () => openapi(all, 'management')),
  ];
  return all;
}

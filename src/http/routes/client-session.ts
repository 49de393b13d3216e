// /client-session: a merchant's backend makes, changes and reads the session of one checkout (contract §3).
import { z } from 'zod';
import { CreateClientSessionFields } from '../../commands/fields/session-fields.ts';
import { IssueClientToken, PatchClientSession } from '../../commands/sessions/sessions.ts';
import type { ClientSession, OpenSession } from '../../domain/client-session/state.ts';
import type { OfferedMethod } from '../../domain/payment-method.ts';
import { lostToAmount } from '../answers/checkout-session.ts';
import {
  ClientSessionAnswer,
  ClientTokenAnswer,
  CreatedClientSessionAnswer,
  clientSessionAnswer,
  clientSessionText,
  clientTokenAnswer,
  createdClientSessionAnswer,
} from '../answers/client-session.ts';
import { revisionMatches } from '../checks/headers.ts';
import { INVALID, refuse } from '../errors.ts';
import { SESSION_BODY_BYTES } from '../middleware/body.ts';
import { found, type HandlerCall, OWN, type Route, route, shaped } from '../route.ts';
import type { RouteParts } from './parts.ts';
import { KEYED } from './payments.ts';

const ORDER = {
  lineItems: [{ itemId: 'shirt', name: 'A shirt', amount: 2_500, quantity: 2 }],
  shipping: { amount: 490 },
};

const common = { scope: 'client_tokens:write', path: '/client-session', tag: 'Client sessions' } as const;

/** A command that completed has a session. */
export function open(session: ClientSession): OpenSession {
  if (session.status === 'absent') throw new TypeError('a command completed without a session');
  return session;
}

const ClientTokenQuery = z.strictObject({ clientToken: z.string().min(1).max(2_048).optional() });

/** The token of the query, or of the header. */
const tokenOf = ({ clientToken }: z.output<typeof ClientTokenQuery>, { headers }: HandlerCall): string | undefined => {
  const header = headers['x-client-token'];
  return clientToken ?? (typeof header === 'string' && header !== '' ? header : undefined);
};

const missingToken = refuse('RequestValidationError', INVALID, {
  models: [
    { model: 'Query', errors: [{ path: '$.clientToken', description: 'Required, here or as X-Client-Token.' }] },
  ],
});

/** The methods of the session that are not offered because of its amount; see lostToAmount. */
const notTakenIn = (
  { processors, payments }: RouteParts,
  sessionId: string,
  { accountId, fields }: OpenSession,
): readonly OfferedMethod[] | undefined =>
  lostToAmount(fields, processors, (offered, isOfAnyAmount) =>
    payments.routeOffer({ sessionId, accountId, fields, offered, ...(isOfAnyAmount && { isOfAnyAmount }) }),
  );

export const clientSessionRoutes = (parts: RouteParts): readonly Route[] => [
  route({
    ...common,
    method: 'POST',
    id: 'createClientSession',
    example: { body: { orderId: 'order-1', currencyCode: 'EUR', customerId: 'customer-1', order: ORDER } },
    summary: 'Create a client session',
    request: z.object({ body: CreateClientSessionFields }),
    mostBodyBytes: SESSION_BODY_BYTES,
    answer: CreatedClientSessionAnswer,
    errors: ['InvalidAgreementStatus', 'MetadataContainsEmptyKey', ...KEYED],
    handle: async ({ body }, { caller }) =>
      shaped(await parts.sessions.createClientSession(body, caller), ({ id, doc, clientToken, clientTokenExpiresAt }) =>
        createdClientSessionAnswer(open(doc), clientToken, clientTokenExpiresAt, notTakenIn(parts, id, open(doc))),
      ),
  }),
  route({
    ...common,
    method: 'PATCH',
    id: 'updateClientSession',
    example: {
      on: 'session',
      body: { clientToken: OWN, customer: { emailAddress: 'ada@example.org' }, metadata: { basket: 7 } },
    },
    summary: 'Change the fields of a client session',
    request: z.object({ body: PatchClientSession }),
    mostBodyBytes: SESSION_BODY_BYTES,
    answer: ClientSessionAnswer,
    errors: [
      'MetadataContainsEmptyKey',
      'ClientSessionValidationError',
      'FieldNotUpdatable',
      'PreconditionFailed',
      'ClientSessionCompleted',
      ...KEYED,
    ],
    handle: async ({ body }, { caller, ifMatch }) =>
      shaped(
        await parts.sessions.patchClientSession(body, caller, revisionMatches(ifMatch)),
        ({ id, doc, warnings }) => clientSessionAnswer(open(doc), warnings, notTakenIn(parts, id, open(doc))),
        clientSessionText,
      ),
  }),
  route({
    ...common,
    method: 'GET',
    id: 'getClientSession',
    isByRevision: true,
    example: { on: 'session', query: { clientToken: OWN } },
    summary: 'Read a client session',
    request: z.object({ query: ClientTokenQuery }),
    answer: ClientSessionAnswer,
    errors: ['ClientSessionValidationError'],
    async handle({ query }, call) {
      const token = tokenOf(query, call);
      if (token === undefined) return missingToken;
      const read = await parts.queries.readClientSession(token, call.caller);
      if ('kind' in read) return read;
      const notTaken = notTakenIn(parts, read.id, read.doc);
      const body = clientSessionAnswer(read.doc, [], notTaken);
      const reply = { ...found(body, read.revision), text: clientSessionText(body) };
      // the connections of the account decide it, not the revision
      return notTaken === undefined ? reply : { ...reply, isOfNow: true };
    },
  }),
  route({
    ...common,
    path: '/client-session/client-token',
    method: 'POST',
    id: 'createClientToken',
    example: { on: 'session', body: { clientToken: OWN } },
    summary: 'Create a new client token for an open session',
    request: z.object({ body: IssueClientToken }),
    answer: ClientTokenAnswer,
    errors: ['ClientSessionValidationError', 'ClientSessionCompleted', ...KEYED],
    handle: async ({ body }, { caller }) =>
      shaped(await parts.sessions.issueClientToken(body, caller), ({ clientToken, clientTokenExpiresAt }) =>
        clientTokenAnswer(clientToken, clientTokenExpiresAt),
      ),
  }),
];

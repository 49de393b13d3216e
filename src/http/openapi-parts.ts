// The part of an OpenAPI document that no route has: the calls that a merchant's endpoint gets (contract §8, "Out").
import type { z } from 'zod';
import { AgreementMessageAnswer, CheckpointMessageAnswer, WebhookMessageAnswer } from './answers/messages.ts';
import type { Schemas } from './openapi-schemas.ts';

/** The body's form in answers, because we write it: its enumerations may grow. */
export const webhooks = (schemas: Schemas): object => ({
  message: call(schemas, WebhookMessageAnswer, {
    operationId: 'takeMessage',
    summary: 'A message about a payment, sent to each endpoint of the account that subscribes to its type',
    description: `${SIGNED}\n${TWICE}`,
    tags: ['Events'],
  }),
  agreementMessage: call(schemas, AgreementMessageAnswer, {
    operationId: 'takeAgreementMessage',
    summary: 'A message about an agreement, sent to each endpoint of the account that subscribes to its type',
    description: `${SIGNED}\n${TWICE}`,
    tags: ['Events'],
  }),
  checkpoint: call(schemas, CheckpointMessageAnswer, {
    operationId: 'takeCheckpoint',
    summary: 'A signed checkpoint of the event log, sent to each endpoint that names the type AUDIT.CHECKPOINT',
    description: `${SIGNED}\n${RECEIPT}`,
    tags: ['Audit'],
  }),
});

const call = (schemas: Schemas, body: z.ZodType, described: object): object => ({
  post: {
    ...described,
    security: [],
    parameters: [
      header('webhook-id', 'The eventId: the same for every delivery of the message.'),
      header(
        'webhook-timestamp',
        'When this delivery was sent: seconds since 1970 in real time, even if the business clock was moved.',
      ),
      header('webhook-signature', 'One signature for each live secret, `v1,<base64>`, separated by spaces.'),
    ],
    requestBody: { required: true, content: { 'application/json': { schema: schemas.add(body, 'output') } } },
    responses: {
      '2XX': { description: 'The message is accepted and not sent again.' },
      410: { description: 'The endpoint is gone, and is disabled.' },
      default: {
        description: 'The message is sent again: after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h.',
      },
    },
  },
});

const SIGNED =
  'Signed as [Standard Webhooks 1.0](https://www.standardwebhooks.com): verify the signature over the unparsed body.';
const TWICE =
  'A message may arrive twice, late and out of order; `sequence` shows which one is newer. [The guide](/docs/webhooks) shows a receiver.';
const RECEIPT =
  'Keep `checkpoint` as a file: `audit verify --checkpoint` and `counterfoil-verify` take it. [The guide](/docs/proofs) says what it proves.';

const header = (name: string, description: string): object => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
});

// Client sessions as they go out (contract §3): the fields as they were sent, with the amount that is due.
import { z } from 'zod';
import { jsonOf } from '../../domain/client-session/fields-json.ts';
import type { Warning } from '../../domain/client-session/patch.ts';
import { amountOf } from '../../domain/client-session/queries.ts';
import type { SessionFields } from '../../domain/client-session/recorded-fields.ts';
import type { OpenSession } from '../../domain/client-session/state.ts';
import { formatTime } from '../../world.ts';
import { AnsweredFields } from './session-fields.ts';

const token = {
  clientToken: z.string().max(2_048),
  clientTokenExpirationDate: z.iso.datetime({ precision: 3 }),
};

/** Answer of GET, and of PATCH where `warnings` names what replacing a whole object dropped. Never the token. */
export const ClientSessionAnswer = AnsweredFields.extend({
  warnings: z
    .array(z.strictObject({ code: z.literal('FIELDS_OVERWRITTEN'), paths: z.array(z.string()).min(1) }))
    .optional(),
}).meta({ id: 'ClientSession' });
export type ClientSessionAnswer = z.infer<typeof ClientSessionAnswer>;

/** Answer of POST /client-session. */
export const CreatedClientSessionAnswer = AnsweredFields.extend(token).meta({ id: 'CreatedClientSession' });
export type CreatedClientSessionAnswer = z.infer<typeof CreatedClientSessionAnswer>;

/** Answer of POST /client-session/client-token. */
export const ClientTokenAnswer = z.strictObject(token).meta({ id: 'ClientToken' });
export type ClientTokenAnswer = z.infer<typeof ClientTokenAnswer>;

/**
 * A session keeps nothing empty (keptFields), so its fields go out as they are; only the amount may be a calculated
 * one.
 */
function fieldsOf({ fields }: OpenSession): SessionFields {
  const amount = amountOf(fields);
  return amount === undefined || fields.amount !== undefined ? fields : { ...fields, amount };
}

export const clientSessionAnswer = (session: OpenSession, warnings: readonly Warning[] = []): ClientSessionAnswer =>
  warnings.length === 0
    ? fieldsOf(session)
    : { ...fieldsOf(session), warnings: warnings.map(({ code, paths }) => ({ code, paths: [...paths] })) };

/** The answer as JSON. */
export const clientSessionText = (answer: ClientSessionAnswer): string => jsonOf(answer, answer, (changed) => changed);

/** `expiresAt` in ms. */
export const clientTokenAnswer = (clientToken: string, expiresAt: number): ClientTokenAnswer => ({
  clientToken,
  clientTokenExpirationDate: formatTime(expiresAt),
});

export const createdClientSessionAnswer = (
  session: OpenSession,
  clientToken: string,
  expiresAt: number,
): CreatedClientSessionAnswer => ({
  ...fieldsOf(session),
  ...clientTokenAnswer(clientToken, expiresAt),
});

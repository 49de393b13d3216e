// Client sessions in answers (contract §3): the fields as recorded, even if a request may no longer send them, with the
// amount that is due.
import { z } from 'zod';
import { jsonOf } from '../../domain/client-session/fields-json.ts';
import type { Warning } from '../../domain/client-session/patch.ts';
import { amountOf } from '../../domain/client-session/queries.ts';
import {
  RecordedAddress,
  RecordedCustomer,
  RecordedFee,
  RecordedLineItem,
  RecordedOrder,
  RecordedPaymentMethod,
  RecordedProposal,
  RecordedShipping,
  SessionFields,
} from '../../domain/client-session/recorded-fields.ts';
import type { OpenSession } from '../../domain/client-session/state.ts';
import type { OfferedMethod } from '../../domain/payment-method.ts';
import { formatTime } from '../../world.ts';
import { Instant } from './shapes.ts';

const Address = RecordedAddress.meta({ id: 'AnsweredAddress' });
export const Customer = RecordedCustomer.extend({
  billingAddress: Address.optional(),
  shippingAddress: Address.optional(),
}).meta({
  id: 'AnsweredCustomer',
});
const amount = z.int().min(0);
export const LineItem = RecordedLineItem.extend({
  amount,
  quantity: z.int().optional(),
  discountAmount: amount.optional(),
  taxAmount: amount.optional(),
}).meta({ id: 'AnsweredLineItem' });
export const Fee = RecordedFee.extend({ amount }).meta({ id: 'AnsweredFee' });
export const Shipping = RecordedShipping.extend({ amount: amount.optional() }).meta({ id: 'AnsweredShipping' });
export const Order = RecordedOrder.extend({
  lineItems: z.array(LineItem).optional(),
  fees: z.array(Fee).optional(),
  shipping: Shipping.optional(),
}).meta({ id: 'AnsweredOrder' });
const PaymentMethod = RecordedPaymentMethod.meta({ id: 'AnsweredPaymentMethodOptions' });
const { terms } = RecordedProposal.shape;
const Proposal = RecordedProposal.extend({
  terms: terms.extend({ amount: amount.optional(), interval: z.int().optional(), count: z.int().optional() }),
}).meta({ id: 'AnsweredProposedAgreement' });

export const AnsweredFields = SessionFields.extend({
  amount: amount.optional(),
  customer: Customer.optional(),
  order: Order.optional(),
  paymentMethod: PaymentMethod.optional(),
  agreement: Proposal.optional(),
});

const token = {
  clientToken: z.string().max(2_048),
  clientTokenExpirationDate: Instant,
};

const warnings = {
  warnings: z
    .array(
      z.strictObject({
        code: z.enum(['FIELDS_OVERWRITTEN', 'AMOUNT_NOT_TAKEN']).meta({
          description:
            'FIELDS_OVERWRITTEN: the request replaced an object, and fields of it that the request did not name were dropped. AMOUNT_NOT_TAKEN: methods are not offered, because no connection takes the amount.',
        }),
        paths: z.array(z.string()).min(1),
        description: z
          .string()
          .optional()
          .meta({ description: 'Of AMOUNT_NOT_TAKEN: the methods that the checkout does not offer.' }),
      }),
    )
    .optional(),
};

/** Answer of GET and PATCH. Never the token. */
export const ClientSessionAnswer = AnsweredFields.extend(warnings).meta({ id: 'ClientSession' });
export type ClientSessionAnswer = z.infer<typeof ClientSessionAnswer>;

/** Answer of POST /client-session. */
export const CreatedClientSessionAnswer = AnsweredFields.extend(token).extend(warnings).meta({
  id: 'CreatedClientSession',
});
export type CreatedClientSessionAnswer = z.infer<typeof CreatedClientSessionAnswer>;

/** Answer of POST /client-session/client-token. */
export const ClientTokenAnswer = z.strictObject(token).meta({ id: 'ClientToken' });
export type ClientTokenAnswer = z.infer<typeof ClientTokenAnswer>;

/**
 * A session keeps nothing empty (keptFields), so its fields go out as they are; only the amount may be a calculated
 * one, and the agreement that of the session's consent.
 */
function fieldsOf({ fields, agreed }: OpenSession): SessionFields {
  const amount = amountOf(fields);
  const shown = agreed === undefined ? fields : { ...fields, agreementId: agreed.agreementId };
  return amount === undefined || fields.amount !== undefined ? shown : { ...shown, amount };
}

export const clientSessionAnswer = (
  session: OpenSession,
  warnings: readonly Warning[] = [],
  notTaken: readonly OfferedMethod[] = [],
): ClientSessionAnswer => ({ ...fieldsOf(session), ...warned(warnings, notTaken) });

/** `notTaken`: the methods that are not offered because no connection takes the amount. */
function warned(
  dropped: readonly Warning[],
  notTaken: readonly OfferedMethod[],
): Pick<ClientSessionAnswer, 'warnings'> {
  const told = dropped.map(({ code, paths }) => ({ code, paths: [...paths] }));
  const amount = {
    code: 'AMOUNT_NOT_TAKEN' as const,
    paths: ['$.amount'],
    description: `The checkout does not offer ${notTaken.join(', ')}: no connection takes this amount, because it is between two steps of the processor in this currency.`,
  };
  if (notTaken.length > 0) return { warnings: [...told, amount] };
  return told.length === 0 ? {} : { warnings: told };
}

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
  notTaken: readonly OfferedMethod[] = [],
): CreatedClientSessionAnswer => ({
  ...clientSessionAnswer(session, [], notTaken),
  ...clientTokenAnswer(clientToken, expiresAt),
});

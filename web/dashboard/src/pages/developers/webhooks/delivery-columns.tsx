// A delivery as a row of a table, and as a card on a narrow screen.
import type { ComponentProps, ReactNode } from 'react';
import { CopiedId } from '../../../parts/copied-id.tsx';
import { Cut } from '../../../parts/cut.tsx';
import type { Column } from '../../../parts/data-table.tsx';
import { RowCard } from '../../../parts/row-card.tsx';
import { shortId } from '../../../parts/short-id.ts';
import { When } from '../../../parts/when.tsx';
import { DeliveryStatusBadge, LastAnswer } from './endpoint-words.tsx';
import { NextAttempt } from './next-attempt.tsx';
import type { Delivery, PaymentDelivery } from './webhook-queries.ts';
import classes from './webhooks.module.css';

const TypeCell = ({ type }: { readonly type: string }): ReactNode => (
  <Cut>
    <span className={classes['id']}>{type}</span>
  </Cut>
);

const AnswerCell = ({ attempt }: ComponentProps<typeof LastAnswer>): ReactNode => (
  <Cut>
    <LastAnswer attempt={attempt} />
  </Cut>
);

export const DELIVERY_COLUMNS: readonly Column<Delivery>[] = [
  { id: 'type', header: 'Message', cell: ({ eventType }) => <TypeCell type={eventType} /> },
  { id: 'status', header: 'Status', width: '112px', cell: (delivery) => <DeliveryStatusBadge delivery={delivery} /> },
  { id: 'answer', header: 'Last answer', cell: ({ lastAttempt }) => <AnswerCell attempt={lastAttempt} /> },
  {
    id: 'payment',
    header: 'Subject',
    isWideOnly: true,
    cell: (delivery) => {
      const id = delivery.paymentId ?? delivery.agreementId;
      return id === null ? (
        <span className={classes['ref']}>{subjectOf(delivery)}</span>
      ) : (
        <>
          <CopiedId id={id} label={delivery.paymentId === null ? 'agreement id' : 'payment id'} />{' '}
          <span className={classes['ref']}>at {delivery.sequence}</span>
        </>
      );
    },
  },
  { id: 'next', header: 'Next attempt', isWideOnly: true, cell: (delivery) => <NextAttempt delivery={delivery} /> },
  {
    id: 'queued',
    header: 'Queued',
    align: 'right',
    width: '190px',
    isWideOnly: true,
    cell: ({ queuedAt }) => <When ms={Date.parse(queuedAt)} as="second" />,
  },
];

/** The columns of a list for an endpoint that gets nothing more. */
export const IDLE_DELIVERY_COLUMNS = DELIVERY_COLUMNS.filter(({ id }) => id !== 'next');

const ENDPOINT: Column<PaymentDelivery> = {
  id: 'endpoint',
  header: 'Endpoint',
  isWideOnly: true,
  cell: ({ url }) => <Cut>{placeOf(url)}</Cut>,
};

/** The payment or the agreement and its version, or the number of the checkpoint. */
function subjectOf({ paymentId, agreementId, sequence }: Delivery | PaymentDelivery): string {
  const id = paymentId ?? agreementId;
  return id === null ? `checkpoint ${sequence}` : `${shortId(id)} at ${sequence}`;
}

/** `shop.example/webhooks`: what differs between the endpoints of a shop. */
const placeOf = (url: string): string => url.replace(/^https?:\/\//, '');

/** The columns of a list about one payment: the endpoint in place of the payment. The drawer shows the next attempt. */
export const PAYMENT_DELIVERY_COLUMNS: readonly Column<PaymentDelivery>[] = IDLE_DELIVERY_COLUMNS.map((column) =>
  column.id === 'payment' ? ENDPOINT : column,
);

export const DeliveryCard = ({ delivery }: { readonly delivery: Delivery | PaymentDelivery }): ReactNode => (
  <RowCard
    head={<span className={classes['id']}>{delivery.eventType}</span>}
    badge={<DeliveryStatusBadge delivery={delivery} />}
    line={<span className={classes['ref']}>{'url' in delivery ? placeOf(delivery.url) : subjectOf(delivery)}</span>}
    aside={<LastAnswer attempt={delivery.lastAttempt} />}
    foot={<When ms={Date.parse(delivery.queuedAt)} as="second" />}
  />
);

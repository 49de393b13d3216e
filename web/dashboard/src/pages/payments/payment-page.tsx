// One payment: its amounts and status, its actions, and its history with the evidence for each step.
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useMay } from '../../app/session.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { type Done, DoneLine } from '../../parts/done-line.tsx';
import { moneyText } from '../../parts/money.tsx';
import { itemsOf, OrderItems } from '../../parts/order-items.tsx';
import { PageFrame } from '../../parts/page-frame.tsx';
import { PaymentStatus } from '../../parts/payment-status.tsx';
import { Section } from '../../parts/section.tsx';
import { Empty, Failed, Loading } from '../../parts/states.tsx';
import { WayBack } from '../../parts/way-back.tsx';
import { DeliveryCard, PAYMENT_DELIVERY_COLUMNS } from '../developers/webhooks/delivery-columns.tsx';
import { DeliveryDrawer } from '../developers/webhooks/delivery-drawer.tsx';
import { paymentDeliveriesQuery } from '../developers/webhooks/webhook-queries.ts';
import { AmountsBar } from './amounts-bar.tsx';
import type { DisputeDone } from './ask-dispute.ts';
import { Disputes } from './disputes.tsx';
import { PastBar } from './past-bar.tsx';
import { PaymentActions } from './payment-actions.tsx';
import { PaymentFacts } from './payment-facts.tsx';
import { PaymentNotes } from './payment-notes.tsx';
import classes from './payment-page.module.css';
import { type Payment, type PaymentDetail, paymentQueryOf } from './payment-queries.ts';
import { ReasonNotice } from './reason-notice.tsx';
import { Timeline } from './timeline.tsx';
import { Transactions } from './transactions.tsx';
import { UnknownNotice } from './unknown-notice.tsx';
import { usePast } from './use-past.ts';
import { WhyPanel } from './why-panel.tsx';

export function PaymentPage(): ReactNode {
  const { paymentId = '' } = useParams({ strict: false });
  const read = useQuery(paymentQueryOf(paymentId));
  if (read.data !== undefined) return <Shown key={paymentId} detail={read.data} />;
  return (
    <PageFrame title="Payment">
      {read.error === null ? (
        <Loading height={480} what="Loading the payment" />
      ) : (
        <Failed fault={read.error} onRetry={() => void read.refetch()} />
      )}
    </PageFrame>
  );
}

function Shown({ detail: now }: { readonly detail: PaymentDetail }): ReactNode {
  const past = usePast(now);
  const { detail } = past;
  const { payment } = detail;
  const isPast = past.revision !== undefined;
  const [done, setDone] = useState<Done | DisputeDone>();
  const tellDone = (words: string): void => setDone({ words, tone: 'good' });
  return (
    <>
      <WayBack to="/payments" words="Payments" id={payment.id} label="payment id" />
      <PageFrame
        title={`${moneyText(payment)} · ${payment.orderId}`}
        heading={
          <>
            {moneyText(payment)} · <bdi>{payment.orderId}</bdi>
          </>
        }
        aside={<PaymentStatus payment={payment} derived={detail.derivedStatus} />}
        actions={
          <PresentOnly isPast={isPast}>
            <PaymentActions detail={now} onDone={tellDone} />
          </PresentOnly>
        }
      >
        <DoneLine done={done !== undefined && isSo(done, now.payment) ? done : undefined} />
        <PastBar payment={now.payment} past={past} />
        <PresentOnly isPast={isPast}>
          <UnknownNotice detail={detail} onDone={tellDone} />
        </PresentOnly>
        <ReasonNotice payment={payment} isOpen={detail.openAttempts.length > 0} />
        <div className={classes['columns']} data-past={isPast || undefined}>
          <div className={classes['main']}>
            <AmountsBar detail={detail} />
            <Disputes detail={detail} isPast={isPast} onDone={setDone} />
            <PaymentNotes paymentId={payment.id} />
            <Timeline payment={now.payment} moment={past.revision ?? now.payment.version} onShow={past.go} />
            <Items payment={payment} />
            <Transactions payment={payment} />
            <PaymentDeliveries paymentId={payment.id} />
          </div>
          <div className={classes['why']}>
            <WhyPanel payment={now.payment} revision={past.revision ?? now.payment.version} />
          </div>
          <aside className={classes['facts']} aria-label="About this payment">
            <PaymentFacts detail={detail} />
          </aside>
        </div>
      </PageFrame>
    </>
  );
}

/** False for a sentence on a dispute that has moved on. */
const isSo = (done: Done | DisputeDone, { disputes = [] }: Payment): boolean =>
  !('dispute' in done) || disputes.some((one) => one.id === done.dispute.id && stateOf(one) === stateOf(done.dispute));
const stateOf = ({ status, statusReason }: DisputeDone['dispute']): string => `${status} ${statusReason?.message}`;

/** Disables its buttons while the page shows a past state. */
const PresentOnly = ({ isPast, children }: { readonly isPast: boolean; readonly children: ReactNode }): ReactNode => (
  <fieldset className={classes['present']} disabled={isPast}>
    {children}
  </fieldset>
);

/** The items of the order, if the payment has any. */
function Items({ payment: { order, currencyCode } }: { readonly payment: Payment }): ReactNode {
  if (itemsOf(order).length === 0) return null;
  return (
    <Section title="Items">
      <OrderItems order={order} currencyCode={currencyCode} empty={null} />
    </Section>
  );
}

/** The deliveries about a payment, for those who run the receivers. */
function PaymentDeliveries({ paymentId }: { readonly paymentId: string }): ReactNode {
  const isShown = useMay('owner', 'developer');
  return isShown ? <Deliveries paymentId={paymentId} /> : null;
}

function Deliveries({ paymentId }: { readonly paymentId: string }): ReactNode {
  const { data, error, refetch } = useQuery(paymentDeliveriesQuery(paymentId));
  const [opened, setOpened] = useState<string>();
  // An account without endpoints has nothing to look at here.
  if (data?.data.length === 0 || (data === undefined && error === null)) return null;
  return (
    <Section title="Webhooks">
      <DataTable
        label="Deliveries"
        columns={PAYMENT_DELIVERY_COLUMNS}
        rows={data?.data}
        rowKey={({ id }) => id}
        onOpen={({ id }) => setOpened(id)}
        card={(delivery) => <DeliveryCard delivery={delivery} />}
        fault={error}
        onRetry={() => void refetch()}
        empty={<Empty title="No deliveries" />}
      />
      <DeliveryDrawer id={opened} onClose={() => setOpened(undefined)} />
    </Section>
  );
}

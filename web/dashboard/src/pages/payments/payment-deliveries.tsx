// The webhooks about a payment: what was told to the account's endpoints, and what became of it. For those who run the receivers.
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useMay } from '../../app/session.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { Section } from '../../parts/section.tsx';
import { Empty } from '../../parts/states.tsx';
import { DeliveryCard, PAYMENT_DELIVERY_COLUMNS } from '../developers/webhooks/delivery-columns.tsx';
import { DeliveryDrawer } from '../developers/webhooks/delivery-drawer.tsx';
import { paymentDeliveriesQuery } from '../developers/webhooks/webhook-queries.ts';

export function PaymentDeliveries({ paymentId }: { readonly paymentId: string }): ReactNode {
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

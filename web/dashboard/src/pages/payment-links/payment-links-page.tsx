// Payment links, newest first; making one, and looking at one.
import { Button } from '@mantine/core';
import { PlusIcon } from '@radix-ui/react-icons';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useReadAnew } from '../../app/live-queries.ts';
import { useMay } from '../../app/session.tsx';
import { Cut } from '../../parts/cut.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Money } from '../../parts/money.tsx';
import { moreOf } from '../../parts/more-rows.tsx';
import { PageFrame } from '../../parts/page-frame.tsx';
import { RowCard } from '../../parts/row-card.tsx';
import { Empty } from '../../parts/states.tsx';
import { When } from '../../parts/when.tsx';
import { CreateLink } from './create-link.tsx';
import { LinkDialog, LinkStatus } from './link-dialog.tsx';
import { paymentLinkSearch } from './payment-link-search.ts';
import { type PaymentLink, paymentLinksQuery } from './payment-links.ts';

const amountOf = ({ amount = 0, currencyCode = '' }: PaymentLink): ReactNode => (
  <Money amount={amount} currencyCode={currencyCode} />
);
/** What it is for: its first item, or the order. */
const purposeOf = ({ id, orderId, order }: PaymentLink): string =>
  order?.lineItems?.[0]?.name ?? (orderId === undefined || orderId === id ? 'No description' : orderId);

const COLUMNS: readonly Column<PaymentLink>[] = [
  { id: 'amount', header: 'Amount', align: 'right', width: '140px', cell: amountOf },
  { id: 'status', header: 'Status', width: '140px', cell: LinkStatus },
  { id: 'purpose', header: 'For', cell: (link) => <Cut>{purposeOf(link)}</Cut> },
  {
    id: 'created',
    header: 'Created',
    align: 'right',
    width: '160px',
    cell: ({ createdAt }) => <When ms={Date.parse(createdAt)} />,
  },
  {
    id: 'expires',
    header: 'Expires',
    align: 'right',
    width: '190px',
    cell: ({ expiresAt }) => <When ms={Date.parse(expiresAt)} as="zoned" />,
  },
];

export function PaymentLinksPage(): ReactNode {
  const { create } = paymentLinkSearch(useSearch({ strict: false }));
  const mayCreate = useMay('owner', 'support');
  const list = useInfiniteQuery(paymentLinksQuery);
  const readAnew = useReadAnew(paymentLinksQuery.queryKey);
  const [isCreating, setCreating] = useState(create !== undefined && mayCreate);
  const [openId, setOpenId] = useState<string>();
  const rows = list.data?.pages.flatMap(({ data }) => data);
  const open = rows?.find(({ id }) => id === openId);
  const action = mayCreate && (
    <Button leftSection={<PlusIcon />} onClick={() => setCreating(true)}>
      Create link
    </Button>
  );
  return (
    <PageFrame
      title="Payment links"
      lead="A link opens a page of this service that takes one payment. Send it to a customer; no shop is needed."
      actions={action}
    >
      <DataTable
        label="Payment links"
        columns={COLUMNS}
        rows={rows}
        rowKey={({ id }) => id}
        onOpen={({ id }) => setOpenId(id)}
        card={(link) => (
          <RowCard
            head={amountOf(link)}
            badge={<LinkStatus status={link.status} />}
            line={purposeOf(link)}
            foot={<When ms={Date.parse(link.createdAt)} />}
          />
        )}
        fault={list.error}
        onRetry={() => void list.refetch()}
        skeletonRows={6}
        empty={
          <Empty title="No payment links yet" action={action}>
            Create a link, and send it by e-mail, by chat or as a QR code.
          </Empty>
        }
        more={moreOf(list)}
        readAnew={readAnew}
      />
      <CreateLink isOpen={isCreating} onClose={() => setCreating(false)} />
      {open !== undefined && <LinkDialog link={open} onClose={() => setOpenId(undefined)} />}
    </PageFrame>
  );
}

// Payment instruments: the newest, or those saved for a customer. Their cards are masked.
import { CloseButton, TextInput } from '@mantine/core';
import { MagnifyingGlassIcon } from '@radix-ui/react-icons';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useReadAnew } from '../../app/live-queries.ts';
import { Cut } from '../../parts/cut.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { expiryText, type MethodData, MethodText } from '../../parts/method-text.tsx';
import { moreOf } from '../../parts/more-rows.tsx';
import { PageFrame } from '../../parts/page-frame.tsx';
import { RowCard } from '../../parts/row-card.tsx';
import { Empty } from '../../parts/states.tsx';
import { When } from '../../parts/when.tsx';
import { type Instrument, instrumentsQuery } from './instrument-queries.ts';
import { type InstrumentSearch, instrumentSearch } from './instrument-search.ts';
import { InstrumentState } from './instrument-state.tsx';
import classes from './instruments-page.module.css';

const COLUMNS: readonly Column<Instrument>[] = [
  { id: 'card', header: 'Method', width: '190px', cell: (instrument) => <MethodText {...instrument} /> },
  {
    id: 'expires',
    header: 'Expires',
    width: '110px',
    cell: (instrument) => <span className="numbers">{expiryText(instrument) ?? '–'}</span>,
  },
  { id: 'state', header: 'State', width: '220px', cell: (instrument) => <InstrumentState instrument={instrument} /> },
  {
    id: 'customer',
    header: 'Customer',
    cell: ({ customerId, default: isDefault }) =>
      customerId === undefined ? (
        <span className={classes['dim']}>–</span>
      ) : (
        <Cut>
          {isDefault && 'default · '}
          <bdi>{customerId}</bdi>
        </Cut>
      ),
  },
  {
    id: 'holder',
    header: 'Holder',
    cell: ({ paymentMethodData }: { readonly paymentMethodData?: MethodData }) =>
      paymentMethodData?.cardholderName === undefined ? (
        <span className={classes['dim']}>–</span>
      ) : (
        <Cut>{paymentMethodData.cardholderName}</Cut>
      ),
  },
  {
    id: 'made',
    header: 'Created',
    align: 'right',
    width: '160px',
    cell: ({ createdAt }) => <When ms={Date.parse(createdAt)} />,
  },
];

export function InstrumentsPage(): ReactNode {
  const search = instrumentSearch(useSearch({ strict: false }));
  const query = instrumentsQuery(search);
  const list = useInfiniteQuery(query);
  const readAnew = useReadAnew(query.queryKey);
  return (
    <PageFrame
      title="Instruments"
      lead="Cards behind tokens: for one payment within a day, or saved for a customer. Counterfoil never stores a card number."
      actions={<CustomerFilter key={search.customer_id ?? ''} search={search} />}
    >
      <DataTable
        label="Payment instruments"
        columns={COLUMNS}
        rows={list.data?.pages.flatMap(({ data }) => data)}
        rowKey={({ token }) => token}
        rowPath={({ token }) => `/instruments/${token}`}
        card={(instrument) => <InstrumentCard instrument={instrument} />}
        fault={list.error}
        onRetry={() => void list.refetch()}
        skeletonRows={12}
        empty={
          search.customer_id === undefined ? (
            <Empty title="No instruments yet">
              Instruments appear here once a customer enters a card at the checkout.
            </Empty>
          ) : (
            <Empty title="No saved cards">
              The customer “<bdi>{search.customer_id}</bdi>” has no saved card.
            </Empty>
          )
        }
        more={moreOf(list)}
        readAnew={readAnew}
      />
    </PageFrame>
  );
}

function CustomerFilter({ search }: { readonly search: InstrumentSearch }): ReactNode {
  const [text, setText] = useState(search.customer_id ?? '');
  const navigate = useNavigate();
  const filter = (customer: string): void =>
    void navigate({ to: '/instruments', search: customer === '' ? {} : { customer_id: customer }, resetScroll: false });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    filter(text.trim());
  };
  return (
    <search>
      <form onSubmit={submit}>
        <TextInput
          aria-label="Customer"
          placeholder="Customer, then Enter"
          leftSection={<MagnifyingGlassIcon />}
          rightSection={
            text !== '' && <CloseButton size="sm" aria-label="Show all instruments" onClick={() => filter('')} />
          }
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
      </form>
    </search>
  );
}

const InstrumentCard = ({ instrument }: { readonly instrument: Instrument }): ReactNode => (
  <RowCard
    head={<MethodText {...instrument} />}
    badge={<InstrumentState instrument={instrument} />}
    line={
      <span className={classes['dim']}>
        {expiryText(instrument) !== undefined && `Expires ${expiryText(instrument)}`}
        {instrument.customerId !== undefined && (
          <>
            {' '}
            · <bdi>{instrument.customerId}</bdi>
          </>
        )}
      </span>
    }
    foot={<When ms={Date.parse(instrument.createdAt)} />}
  />
);

// Agreements, newest first, by status and customer.
import { CloseButton, Group, NativeSelect, TextInput } from '@mantine/core';
import { MagnifyingGlassIcon } from '@radix-ui/react-icons';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useReadAnew } from '../../app/live-queries.ts';
import { DataTable } from '../../parts/data-table.tsx';
import { moreOf } from '../../parts/more-rows.tsx';
import { PageFrame } from '../../parts/page-frame.tsx';
import { Empty } from '../../parts/states.tsx';
import { statusWords } from '../../parts/status-badge.tsx';
import { AGREEMENT_COLUMNS, AgreementCard } from './agreement-columns.tsx';
import { agreementsQuery } from './agreement-queries.ts';
import { AGREEMENT_STATUSES, type AgreementSearch, agreementSearch } from './agreement-search.ts';

export function AgreementsPage(): ReactNode {
  const search = agreementSearch(useSearch({ strict: false }));
  const navigate = useNavigate();
  const go = (next: AgreementSearch): void =>
    void navigate({ to: '/agreements', search: agreementSearch({ ...next }), resetScroll: false });
  const query = agreementsQuery(search);
  const list = useInfiniteQuery(query);
  const readAnew = useReadAnew(query.queryKey);
  const isFiltered = search.status !== undefined || search.customer_id !== undefined;
  return (
    <PageFrame
      title="Agreements"
      lead="What customers agreed to be charged for in their absence. Each period is charged once."
      actions={<Filters key={search.customer_id ?? ''} search={search} onChange={go} />}
    >
      <DataTable
        label="Agreements"
        columns={AGREEMENT_COLUMNS}
        rows={list.data?.pages.flatMap(({ data }) => data)}
        rowKey={({ id }) => id}
        rowPath={({ id }) => `/agreements/${id}`}
        card={(agreement) => <AgreementCard agreement={agreement} />}
        fault={list.error}
        onRetry={() => void list.refetch()}
        skeletonRows={8}
        empty={
          isFiltered ? (
            <Empty title="No matching agreements" />
          ) : (
            <Empty title="No agreements yet">
              Agreements appear here once your backend creates one with <code>POST /agreements</code>, from a payment
              that saved its card.
            </Empty>
          )
        }
        more={moreOf(list)}
        readAnew={readAnew}
      />
    </PageFrame>
  );
}

interface FiltersProps {
  readonly search: AgreementSearch;
  readonly onChange: (search: AgreementSearch) => void;
}

function Filters({ search, onChange }: FiltersProps): ReactNode {
  const [text, setText] = useState(search.customer_id ?? '');
  const withCustomer = (customer: string): AgreementSearch => agreementSearch({ ...search, customer_id: customer });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onChange(withCustomer(text.trim()));
  };
  return (
    <search>
      <form onSubmit={submit}>
        <Group gap="xs">
          <NativeSelect
            aria-label="Status"
            value={search.status ?? ''}
            onChange={({ currentTarget }) => onChange(agreementSearch({ ...search, status: currentTarget.value }))}
            data={[
              { value: '', label: 'All statuses' },
              ...AGREEMENT_STATUSES.map((one) => ({ value: one, label: statusWords(one) })),
            ]}
          />
          <TextInput
            aria-label="Customer"
            placeholder="Customer, then Enter"
            leftSection={<MagnifyingGlassIcon />}
            rightSection={
              text !== '' && (
                <CloseButton size="sm" aria-label="Show all customers" onClick={() => onChange(withCustomer(''))} />
              )
            }
            value={text}
            onChange={({ currentTarget }) => setText(currentTarget.value)}
          />
        </Group>
      </form>
    </search>
  );
}

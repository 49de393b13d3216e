// The filters of the disputes: status, and the currency of an order by amount; with the order, views, CSV and totals.
import { Group, NativeSelect, Pill } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ExportCsv } from '../../parts/export-csv.tsx';
import bar from '../../parts/filter-bar.module.css';
import { SavedViews } from '../../parts/saved-views.tsx';
import { AmountNote, isByAmount, SortChoice, type Sorting } from '../../parts/sorting.tsx';
import { statusWords } from '../../parts/status-badge.tsx';
import { TotalsLine } from '../../parts/totals-line.tsx';
import { disputeTotalsQuery } from './dispute-queries.ts';
import { DISPUTE_STATUSES, type DisputeSearch, disputeSearch } from './dispute-search.ts';

interface DisputeFiltersProps {
  readonly search: DisputeSearch;
  readonly onChange: (search: DisputeSearch) => void;
  readonly sorting: Sorting;
}

export function DisputeFilters({ search, onChange, sorting }: DisputeFiltersProps): ReactNode {
  const { status, currency_code, sort } = search;
  const totals = useQuery(disputeTotalsQuery(search));
  return (
    <search className={bar['bar']}>
      <Group gap="xs" justify="space-between">
        <Group gap="xs">
          <NativeSelect
            aria-label="Status"
            value={status ?? ''}
            onChange={({ currentTarget }) => onChange(disputeSearch({ ...search, status: currentTarget.value }))}
            data={[
              { value: '', label: 'All statuses' },
              ...DISPUTE_STATUSES.map((one) => ({ value: one, label: statusWords(one) })),
            ]}
          />
          {currency_code !== undefined && (
            <Pill
              size="md"
              withRemoveButton
              removeButtonProps={{
                'aria-label': `Remove the filter Currency ${currency_code}`,
                'aria-hidden': false,
                tabIndex: 0,
              }}
              onRemove={() => onChange(disputeSearch({ status, sort }))}
            >
              Currency {currency_code}
            </Pill>
          )}
        </Group>
        <Group gap="xs">
          <SortChoice {...sorting} />
          <SavedViews list="disputes" search={{ ...search }} />
          <ExportCsv path="/dashboard/api/disputes.csv" search={{ ...search }} />
        </Group>
      </Group>
      <TotalsLine
        totals={totals.data}
        isOld={totals.isPlaceholderData}
        nouns={['dispute', 'disputes']}
        amounts="disputed amounts"
        note={isByAmount(sort) && <AmountNote currencyCode={currency_code} />}
      />
    </search>
  );
}

// The filters of the payments list: tabs by status, a range of time, the rest behind one button, and each active one as
// a pill.
import { Button, Group, Pill } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import classes from '../../parts/filter-bar.module.css';
import { moneyText } from '../../parts/money.tsx';
import { AmountNote, isByAmount } from '../../parts/sorting.tsx';
import { statusWords } from '../../parts/status-badge.tsx';
import tabs from '../../parts/tab-row.module.css';
import { TimeRange } from '../../parts/time-range.tsx';
import { TotalsLine } from '../../parts/totals-line.tsx';
import { whenText } from '../../parts/when.tsx';
import { METHODS, MoreFilters } from './more-filters.tsx';
import type { PaymentSearch } from './payment-filters.ts';
import { totalsQuery } from './payment-queries.ts';

interface FilterBarProps {
  readonly search: PaymentSearch;
  readonly onChange: (search: PaymentSearch) => void;
  /** The order on a narrow screen. */
  readonly order: ReactNode;
  /** Beside the filters: columns, export. */
  readonly actions: ReactNode;
}

interface Tab {
  readonly value: string;
  readonly label: string;
  readonly search: Pick<PaymentSearch, 'status' | 'derived_status' | 'show'>;
}

const TABS: readonly Tab[] = [
  { value: 'all', label: 'All', search: {} },
  { value: 'unresolved', label: 'Not known', search: { show: 'unresolved' } },
  { value: 'REFUND_NOT_KNOWN', label: 'Refund not known', search: { derived_status: 'REFUND_NOT_KNOWN' } },
  { value: 'DISPUTED', label: 'Disputed', search: { derived_status: 'DISPUTED' } },
  { value: 'DISPUTE_LOST', label: 'Dispute lost', search: { derived_status: 'DISPUTE_LOST' } },
  { value: 'PENDING', label: 'Pending', search: { status: 'PENDING' } },
  { value: 'AUTHORIZED', label: 'Authorized', search: { status: 'AUTHORIZED' } },
  { value: 'SETTLED', label: 'Settled', search: { status: 'SETTLED,PARTIALLY_SETTLED,SETTLING' } },
  { value: 'DECLINED', label: 'Declined', search: { status: 'DECLINED,FAILED' } },
  { value: 'CANCELLED', label: 'Cancelled', search: { status: 'CANCELLED' } },
];

const tabOf = ({ status, derived_status, show }: PaymentSearch): string =>
  TABS.find(
    ({ search }) => search.status === status && search.derived_status === derived_status && search.show === show,
  )?.value ?? 'other';

export function FilterBar({ search, onChange, order, actions }: FilterBarProps): ReactNode {
  const { status: _status, derived_status: _derived, show: _show, ...others } = search;
  const pills = pillsOf(search);
  return (
    <div className={classes['bar']}>
      <nav className={tabs['row']} aria-label="Status">
        {TABS.map((tab) => (
          <Link
            key={tab.value}
            to="/payments"
            search={tab.search.show === undefined ? { ...others, ...tab.search } : tab.search}
            className={tabs['tab'] ?? ''}
            // The router takes a link for active whose search is a part of the page's: of "All", on every tab.
            activeOptions={{ exact: true, includeSearch: true }}
            activeProps={{}}
            aria-current={tabOf(search) === tab.value ? 'page' : undefined}
            resetScroll={false}
          >
            {tab.label}
          </Link>
        ))}
      </nav>
      <Group gap="xs" justify="space-between">
        {search.show === undefined ? (
          <Group gap="xs">
            <TimeRange
              search={search}
              onChange={(times) => onChange({ ...lacking(search, 'from_date', 'to_date'), ...times })}
            />
            <MoreFilters search={search} onChange={onChange} />
            {order}
            {pills.map(({ label, shown, without }) => (
              <Pill
                key={label}
                size="md"
                withRemoveButton
                removeButtonProps={{ 'aria-label': `Remove the filter ${label}`, 'aria-hidden': false, tabIndex: 0 }}
                onRemove={() => onChange(without)}
              >
                {shown}
              </Pill>
            ))}
            {pills.length > 1 && (
              <Button variant="subtle" size="compact-sm" onClick={() => onChange({})}>
                Clear all
              </Button>
            )}
          </Group>
        ) : (
          <p className={classes['note']}>Payments with an unknown outcome, and those that only a person can close.</p>
        )}
        <Group gap="xs">{actions}</Group>
      </Group>
      {search.show === undefined && <PaymentTotals search={search} />}
    </div>
  );
}

function PaymentTotals({ search }: { readonly search: PaymentSearch }): ReactNode {
  const { data, isPlaceholderData } = useQuery(totalsQuery(search));
  return (
    <TotalsLine
      totals={data}
      isOld={isPlaceholderData}
      nouns={['payment', 'payments']}
      amounts="requested amounts"
      note={isByAmount(search.sort) && <AmountNote currencyCode={search.currency_code} />}
    />
  );
}

interface ShownPill {
  readonly label: string;
  /** The label, as it is drawn. */
  readonly shown: ReactNode;
  readonly without: PaymentSearch;
}

/** One for each filter that no tab shows. */
function pillsOf(search: PaymentSearch): readonly ShownPill[] {
  const {
    status,
    currency_code,
    order_id,
    customer_id,
    processor,
    last_4_digits,
    min_amount,
    max_amount,
    from_date,
    to_date,
    derived_status,
    decline_code,
  } = search;
  const { payment_method_type: method } = search;
  const pills: (ShownPill | undefined)[] = [
    tabOf(search) === 'other' ? statusPill(status, lacking(search, 'status')) : undefined,
    tabOf(search) === 'other' ? statusPill(derived_status, lacking(search, 'derived_status')) : undefined,
    pill('Reason', decline_code && statusWords(decline_code), lacking(search, 'decline_code')),
    pill('Order', order_id, lacking(search, 'order_id')),
    pill('Customer', customer_id, lacking(search, 'customer_id')),
    pill('Card ending in', last_4_digits, lacking(search, 'last_4_digits')),
    // An amount without a currency says nothing.
    pill('Currency', currency_code, lacking(search, 'currency_code', 'min_amount', 'max_amount')),
    pill('At least', amountText(min_amount, currency_code), lacking(search, 'min_amount')),
    pill('At most', amountText(max_amount, currency_code), lacking(search, 'max_amount')),
    pill('Processor', processor, lacking(search, 'processor')),
    pill(
      'Method',
      METHODS.find(({ value }) => value === method)?.label ?? method,
      lacking(search, 'payment_method_type'),
    ),
    pill('From', dayText(from_date), lacking(search, 'from_date')),
    pill('To', dayText(to_date), lacking(search, 'to_date')),
  ];
  return pills.filter((one) => one !== undefined);
}

const pill = (name: string, value: string | undefined, without: PaymentSearch): ShownPill | undefined =>
  value === undefined
    ? undefined
    : {
        label: `${name} ${value}`,
        shown: (
          <>
            {name} <bdi>{value}</bdi>
          </>
        ),
        without,
      };

function statusPill(statuses: string | undefined, without: PaymentSearch): ShownPill | undefined {
  if (statuses === undefined) return undefined;
  const label = statuses.split(',').map(statusWords).join(' or ');
  return { label, shown: label, without };
}

const lacking = (search: PaymentSearch, ...names: readonly (keyof PaymentSearch)[]): PaymentSearch =>
  Object.fromEntries(Object.entries(search).filter(([name]) => !names.some((one) => one === name)));

const dayText = (time: string | undefined): string | undefined => {
  const ms = time === undefined ? Number.NaN : Date.parse(time);
  return time === undefined || Number.isNaN(ms) ? time : whenText({ ms });
};

/** An amount in minor units as money, or the text itself if it is not an amount. */
function amountText(minor: string | undefined, currencyCode: string | undefined): string | undefined {
  if (minor === undefined || currencyCode === undefined || !/^\d{1,16}$/.test(minor)) return minor;
  return moneyText({ amount: Number(minor), currencyCode });
}

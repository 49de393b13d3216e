// The filters that are wanted less often: order, customer, card, currency, amounts, processor, method and the reason
// of a decline.
import { Autocomplete, Button, Group, NativeSelect, Popover, Stack, TextInput } from '@mantine/core';
import { MixerHorizontalIcon } from '@radix-ui/react-icons';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { decimalText } from '../../../../../src/domain/currency.ts';
import { minorUnits } from '../../parts/minor-units.ts';
import type { PaymentSearch } from './payment-filters.ts';
import { declineCodesQuery } from './payment-queries.ts';

interface MoreFiltersProps {
  readonly search: PaymentSearch;
  readonly onChange: (search: PaymentSearch) => void;
}

export function MoreFilters({ search, onChange }: MoreFiltersProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-start" shadow="md" width={300} trapFocus returnFocus>
      <Popover.Target>
        <Button
          variant="default"
          leftSection={<MixerHorizontalIcon />}
          onClick={() => setOpen(!isOpen)}
          aria-expanded={isOpen}
        >
          Filters
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Fields
          search={search}
          onApply={(next) => {
            onChange(next);
            setOpen(false);
          }}
        />
      </Popover.Dropdown>
    </Popover>
  );
}

/** As the API names them. */
export const METHODS = [
  { value: '', label: 'Any' },
  { value: 'PAYMENT_CARD', label: 'Card' },
] as const;

const amountOf = (minor: string | undefined, currencyCode: string | undefined): string =>
  minor === undefined || currencyCode === undefined ? '' : decimalText(Number(minor), currencyCode);

function Fields({
  search,
  onApply,
}: {
  readonly search: PaymentSearch;
  readonly onApply: (search: PaymentSearch) => void;
}): ReactNode {
  const [order, setOrder] = useState(search.order_id ?? '');
  const [customer, setCustomer] = useState(search.customer_id ?? '');
  const [last4, setLast4] = useState(search.last_4_digits ?? '');
  const [currency, setCurrency] = useState(search.currency_code ?? '');
  const [least, setLeast] = useState(amountOf(search.min_amount, search.currency_code));
  const [most, setMost] = useState(amountOf(search.max_amount, search.currency_code));
  const [processor, setProcessor] = useState(search.processor ?? '');
  const [reason, setReason] = useState(search.decline_code ?? '');
  const codes = useQuery(declineCodesQuery).data?.data ?? [];
  const [method, setMethod] = useState(search.payment_method_type ?? '');
  const code = currency.trim().toUpperCase();
  const isCode = /^[A-Z]{3}$/.test(code);
  const amounts = [least, most].map((text) => (text.trim() === '' ? undefined : minorUnits(text, code)));
  const faults = {
    last4: last4 !== '' && !/^\d{4}$/.test(last4) ? 'Four digits' : undefined,
    currency: code !== '' && !isCode ? 'Enter three letters, such as EUR' : undefined,
    least: faultOf(least, isCode, amounts[0]),
    most: faultOf(most, isCode, amounts[1]),
  };
  const apply = (event: FormEvent): void => {
    event.preventDefault();
    if (Object.values(faults).some((fault) => fault !== undefined)) return;
    const wanted = {
      order_id: order.trim(),
      customer_id: customer.trim(),
      last_4_digits: last4,
      currency_code: code,
      min_amount: amounts[0] === undefined ? '' : String(amounts[0]),
      max_amount: amounts[1] === undefined ? '' : String(amounts[1]),
      processor: processor.trim(),
      payment_method_type: method,
      decline_code: reason.trim(),
    };
    const { status, derived_status, from_date, to_date, sort } = search;
    const kept = Object.entries({ status, derived_status, from_date, to_date, sort, ...wanted }).filter(
      ([, value]) => value !== undefined && value !== '',
    );
    onApply(Object.fromEntries(kept));
  };
  return (
    <form onSubmit={apply}>
      <Stack gap="sm">
        <TextInput
          label="Order"
          value={order}
          onChange={({ currentTarget }) => setOrder(currentTarget.value)}
          data-autofocus
        />
        <TextInput
          label="Customer"
          value={customer}
          onChange={({ currentTarget }) => setCustomer(currentTarget.value)}
        />
        <Group grow gap="sm" align="flex-start">
          <TextInput
            label="Card ends in"
            inputMode="numeric"
            maxLength={4}
            value={last4}
            error={faults.last4}
            onChange={({ currentTarget }) => setLast4(currentTarget.value)}
          />
          <TextInput
            label="Processor"
            value={processor}
            onChange={({ currentTarget }) => setProcessor(currentTarget.value)}
          />
        </Group>
        <Group grow gap="sm" align="flex-start">
          <NativeSelect
            label="Method"
            data={METHODS.map(({ value, label }) => ({ value, label }))}
            value={method}
            onChange={({ currentTarget }) => setMethod(currentTarget.value)}
          />
          <TextInput
            label="Currency"
            placeholder="EUR"
            maxLength={3}
            value={currency}
            error={faults.currency}
            onChange={({ currentTarget }) => setCurrency(currentTarget.value)}
          />
        </Group>
        <Group grow gap="sm" align="flex-start">
          <TextInput
            label="At least"
            inputMode="decimal"
            value={least}
            error={faults.least}
            onChange={({ currentTarget }) => setLeast(currentTarget.value)}
          />
          <TextInput
            label="At most"
            inputMode="decimal"
            value={most}
            error={faults.most}
            onChange={({ currentTarget }) => setMost(currentTarget.value)}
          />
        </Group>
        <Autocomplete
          label="Decline code"
          description="Choose a code, or type the code of a processor"
          placeholder="EXPIRED_CARD"
          data={codes}
          value={reason}
          onChange={setReason}
          comboboxProps={{ withinPortal: false }}
          maxDropdownHeight={160}
        />
        <Button type="submit">Apply</Button>
      </Stack>
    </form>
  );
}

function faultOf(text: string, isCode: boolean, amount: number | undefined): string | undefined {
  if (text.trim() === '') return undefined;
  if (!isCode) return 'Enter a currency first';
  return amount === undefined ? 'Enter a valid amount' : undefined;
}

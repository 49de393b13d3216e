// Search by one text: a payment's id, an order, a customer, the last four digits of a card. `/` leads to it.
import { Combobox, Loader, TextInput, useCombobox } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { MagnifyingGlassIcon } from '@radix-ui/react-icons';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useRef, useState } from 'react';
import { useShortcuts } from '../../app/keyboard.tsx';
import { Money } from '../../parts/money.tsx';
import { PaymentStatus } from './payment-columns.tsx';
import type { PaymentSearch } from './payment-filters.ts';
import { type PaymentItem, searchQuery } from './payment-queries.ts';
import classes from './search-box.module.css';

const PAUSE_MS = 200;
type By = 'id' | 'orderId' | 'customerId' | 'last4Digits';
const HEADINGS: { readonly [B in By]: string } = {
  id: 'Payment',
  orderId: 'Order',
  customerId: 'Customer',
  last4Digits: 'Card ending in',
};
const FILTERS: { readonly [B in Exclude<By, 'id'>]: keyof PaymentSearch } = {
  orderId: 'order_id',
  customerId: 'customer_id',
  last4Digits: 'last_4_digits',
};

export function SearchBox({ onFilter }: { readonly onFilter: (search: PaymentSearch) => void }): ReactNode {
  const [text, setText] = useState('');
  const [asked] = useDebouncedValue(text.trim(), PAUSE_MS);
  const found = useQuery(searchQuery(asked));
  const input = useRef<HTMLInputElement>(null);
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() });
  const navigate = useNavigate();
  useShortcuts([{ keys: '/', does: 'Search payments', run: () => input.current?.focus() }]);
  const matches = asked === '' ? [] : (found.data?.matches ?? []);
  const choose = (value: string): void => {
    combobox.closeDropdown();
    setText('');
    const [by, id] = value.split(' ', 2);
    if (by === 'pay' && id !== undefined) void navigate({ to: '/payments/$paymentId', params: { paymentId: id } });
    else if (by === 'orderId' || by === 'customerId' || by === 'last4Digits') onFilter({ [FILTERS[by]]: asked });
  };
  return (
    <Combobox store={combobox} onOptionSubmit={choose} position="bottom-end" width={360} shadow="md">
      <Combobox.Target>
        <TextInput
          ref={input}
          className={classes['box'] ?? ''}
          aria-label="Search payments"
          placeholder="Id, order, customer, last four"
          leftSection={<MagnifyingGlassIcon />}
          rightSection={found.isFetching ? <Loader size={14} /> : <kbd className={classes['key']}>/</kbd>}
          value={text}
          onChange={({ currentTarget }) => {
            setText(currentTarget.value);
            combobox.openDropdown();
            combobox.selectFirstOption();
          }}
          onFocus={() => combobox.openDropdown()}
          onBlur={() => combobox.closeDropdown()}
        />
      </Combobox.Target>
      <Combobox.Dropdown hidden={asked === ''}>
        <Combobox.Options mah={380} className={classes['options'] ?? ''}>
          {matches.map(({ by, data, hasMore }) => (
            <Combobox.Group key={by} label={by === 'id' ? HEADINGS.id : `${HEADINGS[by]} ${asked}`}>
              {data.map((payment) => (
                <Combobox.Option key={payment.id} value={`pay ${payment.id}`}>
                  <Match payment={payment} />
                </Combobox.Option>
              ))}
              {by !== 'id' && (
                <Combobox.Option value={by}>{hasMore ? 'Show all of them in the list' : 'Show them in the list'}</Combobox.Option>
              )}
            </Combobox.Group>
          ))}
          {matches.length === 0 && (
            <Combobox.Empty>
              {found.isFetching ? 'Searching' : found.error === null ? `Nothing is called “${asked}”` : found.error.message}
            </Combobox.Empty>
          )}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}

const Match = ({ payment }: { readonly payment: PaymentItem }): ReactNode => (
  <span className={classes['match']}>
    <span className={classes['amount']}>
      <Money amount={payment.amount} currencyCode={payment.currencyCode} />
    </span>
    <span className={classes['order']}>{payment.orderId}</span>
    <PaymentStatus payment={payment} />
  </span>
);

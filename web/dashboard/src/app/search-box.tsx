// The search box: payments by their names, customers, a client session, an instrument and an endpoint by id, pages by
// name; `/` leads to it.
import { Combobox, Kbd, Loader, TextInput, useCombobox } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { MagnifyingGlassIcon } from '@radix-ui/react-icons';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { CustomerText } from '../parts/customer-name.tsx';
import { Money } from '../parts/money.tsx';
import { PaymentStatus } from '../parts/payment-status.tsx';
import { answerOf, api } from './api.ts';
import type { components } from './api-types.d.ts';
import { useShortcuts } from './keyboard.tsx';
import { useSingleKeys } from './keyboard-switch.ts';
import { useNavigation } from './navigation.tsx';
import type { NavigationEntry } from './navigation-entries.ts';
import { KEYS } from './query-keys.ts';
import classes from './search-box.module.css';

type Match = components['schemas']['PaymentSearch']['matches'][number];
type FoundPayment = Match['data'][number];
type FoundCustomer = components['schemas']['PaymentSearch']['customers'][number];

const WORDS = 'Search by payment, order, customer, e-mail, last four digits or another id';
const PAUSE_MS = 200;
const HEADINGS: { readonly [B in Match['by']]: string } = {
  id: 'Payment',
  eventId: 'Event',
  diagnosticsId: 'Request',
  processorTransactionId: 'Processor reference',
  orderId: 'Order',
  customerId: 'Customer',
  emailAddress: 'E-mail',
  orderIdPrefix: 'Orders that begin with',
  last4Digits: 'Card ending in',
};

const searchQuery = (text: string) =>
  queryOptions({
    queryKey: [KEYS.payments, 'search', text],
    enabled: text !== '',
    queryFn: ({ signal }) =>
      answerOf(api.GET('/dashboard/api/payment-search', { params: { query: { text } }, signal })),
  });

export function SearchBox(): ReactNode {
  const [text, setText] = useState('');
  const [hasKeys] = useSingleKeys();
  /** The text that Enter was pressed for, until the field changes or loses the focus. */
  const [entered, setEntered] = useState<string>();
  const current = text.trim();
  const [paused] = useDebouncedValue(current, PAUSE_MS);
  const asked = entered === current ? current : paused;
  const found = useQuery(searchQuery(asked));
  const isAnswered = current !== '' && asked === current && !found.isPending;
  const input = useRef<HTMLInputElement>(null);
  const router = useRouter();
  const navigation = useNavigation();
  const places = useMemo(
    () =>
      placesNamed(
        text,
        navigation.flatMap(({ entries }) => entries),
      ),
    [text, navigation],
  );
  const box = useCombobox({ onDropdownClose: () => box.resetSelectedOption() });
  // Until the answer for this text is there, no result is chosen: Enter waits for it, then opens the first result.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the box is another object each time it is drawn
  useEffect(() => {
    box.resetSelectedOption();
    if (!isAnswered) return;
    box.selectFirstOption();
    if (entered === current) box.clickSelectedOption();
  }, [isAnswered, current, entered]);
  useShortcuts([{ keys: '/', does: 'Search', run: () => input.current?.focus() }]);
  const { matches, customers } = (asked === '' ? undefined : found.data) ?? { matches: [], customers: [] };
  const [exact, others] = [matches.filter(isExact), matches.filter((match) => !isExact(match))];
  const go = (path: string): void => {
    setText('');
    box.closeDropdown();
    input.current?.blur();
    router.history.push(`/dashboard${path}`);
  };
  return (
    <Combobox store={box} onOptionSubmit={go} shadow="md" radius="md" offset={6} width={380} position="bottom-end">
      <Combobox.Target>
        <TextInput
          ref={input}
          className={classes['search'] ?? ''}
          aria-label={WORDS}
          placeholder="Id, order, customer, e-mail, card"
          size="sm"
          type="search"
          autoComplete="off"
          spellCheck={false}
          leftSection={<MagnifyingGlassIcon />}
          rightSection={
            found.isFetching ? <Loader size={14} /> : text === '' && hasKeys ? <Kbd size="xs">/</Kbd> : null
          }
          value={text}
          onChange={({ currentTarget }) => {
            setText(currentTarget.value);
            setEntered(undefined);
            box.openDropdown();
          }}
          onFocus={() => box.openDropdown()}
          onBlur={() => {
            setEntered(undefined);
            box.closeDropdown();
          }}
          onKeyDown={({ key }) => {
            if (key === 'Escape') input.current?.blur();
            if (key === 'Enter' && box.getSelectedOptionIndex() === -1) setEntered(current);
          }}
        />
      </Combobox.Target>
      <Combobox.Dropdown hidden={text.trim() === ''}>
        <Combobox.Options aria-label="Results" mah={420} className={classes['options'] ?? ''}>
          {exact.map((match) => (
            <PaymentsFound key={match.by} match={match} asked={asked} />
          ))}
          {customers.length > 0 && <CustomersFound customers={customers} />}
          {others.map((match) => (
            <PaymentsFound key={match.by} match={match} asked={asked} />
          ))}
          {places.map((place) => (
            <PlaceOption key={place.path} place={place} />
          ))}
          {matches.length === 0 && places.length === 0 && (
            <Combobox.Empty>
              {found.error !== null ? (
                found.error.message
              ) : isAnswered ? (
                <>
                  No results for “<bdi>{asked}</bdi>”
                </>
              ) : (
                'Searching'
              )}
            </Combobox.Empty>
          )}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}

function PaymentsFound({
  match: { by, data, hasMore },
  asked,
}: {
  readonly match: Match;
  readonly asked: string;
}): ReactNode {
  return (
    <Combobox.Group label={by === 'id' ? HEADINGS.id : `${HEADINGS[by]} ${asked}`}>
      {data.map((payment) => (
        <Combobox.Option key={payment.id} value={`/payments/${payment.id}`}>
          <FoundLine payment={payment} />
        </Combobox.Option>
      ))}
      {isFilter(by) && (
        <Combobox.Option value={listOf(by, asked)}>
          {hasMore ? 'Show all in the list' : 'Show in the list'}
        </Combobox.Option>
      )}
    </Combobox.Group>
  );
}

/** Matches that name the payment itself come before its customer. */
const isExact = ({ by }: Match): boolean =>
  by !== 'customerId' && by !== 'emailAddress' && by !== 'orderIdPrefix' && by !== 'last4Digits';

const CustomersFound = ({ customers }: { readonly customers: readonly FoundCustomer[] }): ReactNode => (
  <Combobox.Group label={customers.length === 1 ? 'Customer' : 'Customers'}>
    {customers.map(({ customerId, customerName, payments }) => (
      <Combobox.Option
        key={customerId}
        value={`/customers?customer_id=${encodeURIComponent(customerId)}`}
        className={classes['option'] ?? ''}
      >
        <span className={classes['label']}>
          <CustomerText customerId={customerId} customerName={customerName} nothing="" />
        </span>
        <span className={classes['detail']}>{payments === 1 ? '1 payment' : `${payments} payments`}</span>
      </Combobox.Option>
    ))}
  </Combobox.Group>
);

const FoundLine = ({ payment }: { readonly payment: FoundPayment }): ReactNode => (
  <span className={classes['match']}>
    <span className={classes['amount']}>
      <Money amount={payment.amount} currencyCode={payment.currencyCode} />
    </span>
    <span className={classes['order']}>{payment.orderId}</span>
    <PaymentStatus payment={payment} derived={payment.derivedStatus} />
  </span>
);

const PlaceOption = ({ place: { path, label, detail } }: { readonly place: NamedPlace }): ReactNode => (
  <Combobox.Option value={path} className={classes['option'] ?? ''}>
    <span className={classes['label']}>{label}</span>
    <span className={classes['detail']}>{detail}</span>
  </Combobox.Option>
);

interface NamedPlace {
  /** Where it leads: a path without /dashboard. */
  readonly path: string;
  readonly label: string;
  readonly detail: string;
}

const WEBHOOKS = '/developers/webhooks';

/**
 * The results besides payments: a client session, an agreement, an instrument or a webhook endpoint by its id, pages by
 * their names.
 * `pages`: those that the user may open.
 */
function placesNamed(text: string, pages: readonly NavigationEntry[]): readonly NamedPlace[] {
  const asked = text.trim();
  if (asked === '') return [];
  if (/^cs_\w+$/.test(asked)) return [{ path: `/client-sessions/${asked}`, label: asked, detail: 'Client session' }];
  if (/^agr_\w+$/.test(asked)) return [{ path: `/agreements/${asked}`, label: asked, detail: 'Agreement' }];
  if (/^pm_\w+$/.test(asked)) return [{ path: `/instruments/${asked}`, label: asked, detail: 'Instrument' }];
  if (/^we_\w+$/.test(asked) && pages.some(({ to }) => to === WEBHOOKS))
    return [{ path: `${WEBHOOKS}/${asked}`, label: asked, detail: 'Webhook endpoint' }];
  const lower = asked.toLowerCase();
  return pages
    .filter(({ label }) => label.toLowerCase().includes(lower))
    .map(({ label, to }) => ({ path: to, label, detail: 'Page' }));
}

const PARAMETERS = { orderId: 'order_id', customerId: 'customer_id', last4Digits: 'last_4_digits' } as const;

const isFilter = (by: Match['by']): by is keyof typeof PARAMETERS => by in PARAMETERS;

/** The list of payments with the filter that a search stands for; a path without /dashboard. */
const listOf = (by: keyof typeof PARAMETERS, text: string): string =>
  `/payments?${PARAMETERS[by]}=${encodeURIComponent(text.trim())}`;

// The test cards and the other methods of payment, as the sandbox itself lists them.
import { TextInput } from '@mantine/core';
import { MagnifyingGlassIcon } from '@radix-ui/react-icons';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { type Asking, answerOf, api } from '../../app/api.ts';
import { KEYS } from '../../app/query-keys.ts';
import { CopyText } from '../../parts/copy.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { MethodText } from '../../parts/method-text.tsx';
import { Empty } from '../../parts/states.tsx';
import classes from './sandbox.module.css';

const readCards = ({ signal }: Asking) => answerOf(api.GET('/dashboard/api/sandbox/cards', { signal }));
type Card = Awaited<ReturnType<typeof readCards>>['data'][number];

export function CardsTab(): ReactNode {
  const { data, error, refetch } = useQuery({
    queryKey: [KEYS.sandboxWords, 'cards'],
    queryFn: readCards,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const [text, setText] = useState('');
  const rows = data?.data.filter((card) => matches(card, text));
  return (
    <>
      <div className={classes['tools']}>
        <TextInput
          className={classes['filter'] ?? ''}
          aria-label="Find a card"
          placeholder="declined, 3040, timeout…"
          leftSection={<MagnifyingGlassIcon aria-hidden />}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
        <p className={classes['hint']}>Use any future expiry and any security code.</p>
      </div>
      <DataTable
        label="Test cards"
        columns={COLUMNS}
        rows={rows}
        rowKey={({ title }) => title}
        fault={error}
        onRetry={() => void refetch()}
        skeletonRows={12}
        empty={<Empty title="No matching cards" />}
      />
    </>
  );
}

const COLUMNS: readonly Column<Card>[] = [
  {
    id: 'number',
    header: 'Card or method',
    width: 'min(232px, 30vw)',
    cell: ({ numbers = [], ibans = [], paymentMethodType }) => (
      <div className={classes['numbers']}>
        {numbers.map((number) => (
          <CopyText key={number} text={number} label={`card number ${spaced(number)}`}>
            <Digits text={spaced(number)} />
          </CopyText>
        ))}
        {paymentMethodType !== undefined && <MethodText paymentMethodType={paymentMethodType} />}
        {ibans.map((iban) => (
          <CopyText key={iban} text={iban} label={`IBAN ${iban}`}>
            <Digits text={iban} />
          </CopyText>
        ))}
      </div>
    ),
  },
  {
    id: 'does',
    header: 'What happens',
    cell: ({ title, outcome }) => (
      <div className={classes['does']}>
        <span>{title}</span>
        <span>{outcome}</span>
      </div>
    ),
  },
];

const LAST = 4;

/** The number; on a narrow screen, which has no room for it, the digits by which cards differ. */
const Digits = ({ text }: { readonly text: string }): ReactNode => (
  <>
    <span className={classes['whole']}>{text}</span>
    <span className={classes['lastDigits']}>… {text.slice(-LAST)}</span>
  </>
);

/** As it stands on a card: four by four, American Express 4, 6, 5. */
const spaced = (number: string): string =>
  number.length === 15
    ? number.replace(/^(\d{4})(\d{6})(\d{5})$/, '$1 $2 $3')
    : number.replace(/(\d{4})(?=\d)/g, '$1 ');

function matches({ numbers = [], title, outcome }: Card, text: string): boolean {
  const sought = text.trim().toLowerCase();
  const digits = sought.replaceAll(' ', '');
  return (
    `${title} ${outcome}`.toLowerCase().includes(sought) ||
    (/^\d+$/.test(digits) && numbers.some((number) => number.includes(digits)))
  );
}

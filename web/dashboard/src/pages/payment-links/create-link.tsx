// The dialog that makes a payment link: its amount, what it is for, and how long it is open; then the link.
import { Checkbox, Select, Stack, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { CURRENT } from '../../../../../src/domain/currency.ts';
import { businessNow } from '../../app/business-time.ts';
import { requestKey } from '../../app/request-key.ts';
import { useRunning } from '../../app/use-running.ts';
import { FormEnd } from '../../parts/form-end.tsx';
import { MadeOnce } from '../../parts/made-once.tsx';
import { minorUnits } from '../../parts/minor-units.ts';
import { LinkToSend } from './link-dialog.tsx';
import classes from './payment-links.module.css';
import { createLink, type NewPaymentLink, type PaymentLink } from './payment-links.ts';

interface CreateLinkProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export const CreateLink = ({ isOpen, onClose }: CreateLinkProps): ReactNode => (
  <MadeOnce<PaymentLink>
    isOpen={isOpen}
    onClose={onClose}
    title={(made) => (made === undefined ? 'Create payment link' : 'Payment link')}
    size={560}
    form={(close, onMade) => <Form onClose={close} onMade={onMade} />}
    secret={(made) => <LinkToSend link={made} />}
  />
);

const isCurrency = (text: string): text is NewPaymentLink['currencyCode'] => CURRENT.includes(text);
const DAY_MS = 86_400_000;
const EXPIRIES = [
  { value: '1', label: 'In a day' },
  { value: '7', label: 'In 7 days' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
];

interface FormProps {
  readonly onClose: () => void;
  readonly onMade: (made: PaymentLink) => void;
}

function Form({ onClose, onMade }: FormProps): ReactNode {
  const [key] = useState(() => requestKey('create-link'));
  const [text, setText] = useState('10.00');
  const [currencyCode, setCurrencyCode] = useState('EUR');
  const [name, setName] = useState('');
  const [orderId, setOrderId] = useState('');
  const [days, setDays] = useState('7');
  const [captures, setCaptures] = useState(true);
  const amount = minorUnits(text, currencyCode);
  const isAmount = amount !== undefined && amount > 0;
  const { isRunning, fault, run } = useRunning(async () => {
    if (amount === undefined || !isCurrency(currencyCode)) return;
    onMade(
      await createLink(
        {
          currencyCode,
          ...(name.trim() === '' ? { amount } : { order: { lineItems: [{ name: name.trim(), amount }] } }),
          ...(orderId.trim() !== '' && { orderId: orderId.trim() }),
          expiresAt: new Date(businessNow() + Number(days) * DAY_MS).toISOString(),
          paymentMethod: { captureMode: captures ? 'AUTOMATIC' : 'MANUAL' },
        },
        key,
      ),
    );
  });
  return (
    <form onSubmit={run}>
      <Stack gap="md">
        <div className={classes['amount']}>
          <TextInput
            label="Amount"
            inputMode="decimal"
            value={text}
            onChange={({ currentTarget }) => setText(currentTarget.value)}
            error={isAmount ? undefined : 'Enter an amount, such as 12.50.'}
            autoComplete="off"
            data-autofocus
          />
          <Select
            label="Currency"
            data={CURRENT}
            value={currencyCode}
            onChange={(value) => setCurrencyCode(value ?? currencyCode)}
            allowDeselect={false}
            searchable
          />
        </div>
        <TextInput
          label="For"
          description="The customer sees it. Optional."
          placeholder="Linen shirt"
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
          maxLength={255}
          autoComplete="off"
        />
        <div className={classes['amount']}>
          <TextInput
            label="Your order number"
            placeholder="Optional"
            value={orderId}
            onChange={({ currentTarget }) => setOrderId(currentTarget.value)}
            maxLength={255}
            autoComplete="off"
          />
          <Select
            label="Expires"
            data={EXPIRIES}
            value={days}
            onChange={(value) => setDays(value ?? days)}
            allowDeselect={false}
          />
        </div>
        <Checkbox
          label="Capture the money when the customer pays"
          description="Otherwise it is authorized, and you capture it here."
          checked={captures}
          onChange={({ currentTarget }) => setCaptures(currentTarget.checked)}
        />
        <FormEnd fault={fault} submit="Create link" isRunning={isRunning} isIncomplete={!isAmount} onCancel={onClose} />
      </Stack>
    </form>
  );
}

// One payment link: its URL to copy, its QR code, its state; and its end.
import { Button, Group, Modal, Stack } from '@mantine/core';
import { ExternalLinkIcon } from '@radix-ui/react-icons';
import { type ReactNode, useState } from 'react';
import { useMay, useUser } from '../../app/session.tsx';
import { ConfirmDialog } from '../../parts/confirm.tsx';
import { CopiedText } from '../../parts/copied-text.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Money } from '../../parts/money.tsx';
import { PathLink } from '../../parts/path-link.tsx';
import { QrCode } from '../../parts/qr-code.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { When } from '../../parts/when.tsx';
import classes from './payment-links.module.css';
import { cancelLink, type PaymentLink } from './payment-links.ts';

const TONES = { OPEN: 'busy', PROCESSING: 'warn', PAID: 'good', EXPIRED: 'quiet', CANCELLED: 'quiet' } as const;

export const LinkStatus = ({ status }: Pick<PaymentLink, 'status'>): ReactNode => (
  <StatusBadge status={status} tone={TONES[status]} />
);

export const LinkToSend = ({ link: { url } }: { readonly link: PaymentLink }): ReactNode => (
  <Stack gap="md">
    <CopiedText label="payment link" text={url} />
    <NameNote />
    <QrCode className={classes['qr']} text={url} label="QR code of the payment link" />
    <p className={classes['note']}>Everyone who has the link can pay it, and sees the order. It is paid once.</p>
    <Group justify="flex-end">
      <Button component="a" href={url} target="_blank" rel="noopener" leftSection={<ExternalLinkIcon />}>
        Open page
      </Button>
    </Group>
  </Stack>
);

/** A customer who does not see whom to pay may not pay. */
function NameNote(): ReactNode {
  const { isNamed } = useUser();
  const isOwner = useMay('owner');
  if (isNamed) return null;
  return (
    <p className={classes['note']}>
      The page does not say whom to pay, because your shop has no name yet.{' '}
      {isOwner ? <PathLink path="/users">Name it with Rename account</PathLink> : 'An owner can name it.'}
    </p>
  );
}

interface LinkDialogProps {
  readonly link: PaymentLink;
  readonly onClose: () => void;
}

export function LinkDialog({ link, onClose }: LinkDialogProps): ReactNode {
  const mayCancel = useMay('owner', 'support') && link.status === 'OPEN';
  const [isCancelling, setCancelling] = useState(false);
  const { id, amount = 0, currencyCode = '', orderId, status, createdAt, expiresAt, cancelledAt, payment } = link;
  return (
    <Modal opened onClose={onClose} title="Payment link" size={560}>
      <Stack gap="lg">
        <Facts
          facts={[
            { name: 'Status', value: <LinkStatus status={status} /> },
            { name: 'Amount', value: <Money amount={amount} currencyCode={currencyCode} /> },
            { name: 'Order', value: orderId === id ? undefined : orderId },
            { name: 'Created', value: <When ms={Date.parse(createdAt)} as="zoned" /> },
            { name: 'Expires', value: <When ms={Date.parse(expiresAt)} as="zoned" /> },
            { name: 'Cancelled', value: cancelledAt && <When ms={Date.parse(cancelledAt)} as="zoned" /> },
            { name: 'Payment', value: payment && <PathLink path={`/payments/${payment.id}`}>{payment.id}</PathLink> },
          ]}
        />
        {(status === 'OPEN' || status === 'PROCESSING') && <LinkToSend link={link} />}
        {mayCancel && (
          <Group justify="flex-start">
            <Button variant="default" color="red" onClick={() => setCancelling(true)}>
              Cancel link…
            </Button>
          </Group>
        )}
      </Stack>
      <ConfirmDialog
        isOpen={isCancelling}
        onClose={() => setCancelling(false)}
        title="Cancel this payment link?"
        confirm="Cancel link"
        isDangerous
        onConfirm={() => cancelLink(id)}
      >
        Its page then says that the link is no longer valid. A payment that has begun continues, and then the link is
        not cancelled.
      </ConfirmDialog>
    </Modal>
  );
}

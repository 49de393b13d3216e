// One payment instrument, its card masked.
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Facts } from '../../parts/facts.tsx';
import { expiryText, type MethodData, MethodText, methodText, nameOfMethod } from '../../parts/method-text.tsx';
import { PageFrame } from '../../parts/page-frame.tsx';
import { Section } from '../../parts/section.tsx';
import { Failed, Loading } from '../../parts/states.tsx';
import { WayBack } from '../../parts/way-back.tsx';
import { When } from '../../parts/when.tsx';
import { type Instrument, instrumentQueryOf } from './instrument-queries.ts';
import { InstrumentState } from './instrument-state.tsx';

export function InstrumentPage(): ReactNode {
  const { token = '' } = useParams({ strict: false });
  const read = useQuery(instrumentQueryOf(token));
  if (read.data === undefined)
    return (
      <PageFrame title="Instrument">
        {read.error === null ? (
          <Loading height={320} what="Loading the instrument" />
        ) : (
          <Failed fault={read.error} onRetry={() => void read.refetch()} />
        )}
      </PageFrame>
    );
  return <Shown instrument={read.data} />;
}

function Shown({ instrument }: { readonly instrument: Instrument }): ReactNode {
  const { token, tokenType, customerId, description, createdAt, closedAt, deletedAt } = instrument;
  const card: MethodData = instrument.paymentMethodData ?? {};
  const last4 = card.last4Digits ?? card.ibanLast4;
  return (
    <>
      <WayBack to="/instruments" words="Instruments" id={token} label="token" />
      <PageFrame title={methodText(instrument)} aside={<InstrumentState instrument={instrument} />}>
        <Section title="Instrument">
          <Facts
            facts={[
              { name: 'Method', value: <MethodText {...instrument} /> },
              { name: 'Wallet', value: card.wallet === undefined ? undefined : nameOfMethod(card.wallet) },
              { name: 'First six digits', value: card.first6Digits },
              { name: 'Expires', value: expiryText(instrument) },
              { name: 'Cardholder', value: card.cardholderName },
              { name: 'Bank', value: card.bankName },
              { name: 'Mandate', value: card.mandateReference },
              {
                name: 'Use',
                value:
                  tokenType === 'MULTI_USE' ? 'Reusable, for payments of its customer' : 'Single use, within 24 hours',
              },
              {
                name: 'Customer',
                value:
                  customerId === undefined ? undefined : (
                    <>
                      <Link to="/customers" search={{ customer_id: customerId }}>
                        {customerId}
                      </Link>
                      {instrument.default && ', the default'}
                    </>
                  ),
              },
              { name: 'Description', value: description },
              { name: 'Created', value: <When ms={Date.parse(createdAt)} as="second" /> },
              {
                name: 'Closed',
                value: closedAt === undefined ? undefined : <When ms={Date.parse(closedAt)} as="second" />,
              },
              {
                name: 'Deleted',
                value: deletedAt === undefined ? undefined : <When ms={Date.parse(deletedAt)} as="second" />,
              },
              {
                name: 'Payments',
                value: last4 !== undefined && (
                  <Link
                    to="/payments"
                    search={{
                      last_4_digits: last4,
                      ...(customerId !== undefined && { customer_id: customerId }),
                    }}
                  >
                    Payments with {card.network === undefined ? 'accounts' : 'cards'} ending in {last4}
                  </Link>
                ),
              },
            ]}
          />
        </Section>
      </PageFrame>
    </>
  );
}

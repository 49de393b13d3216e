// The details of a payment: order, customer, card, processor, metadata and ids.
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useMay } from '../../app/session.tsx';
import { CopyText } from '../../parts/copy.tsx';
import { NameOf } from '../../parts/customer-name.tsx';
import { Facts } from '../../parts/facts.tsx';
import { expiryText, type MethodData, MethodText, nameOfMethod } from '../../parts/method-text.tsx';
import { moneyText } from '../../parts/money.tsx';
import { Section } from '../../parts/section.tsx';
import { SKIPPED } from '../../parts/skip-words.ts';
import { visibleJson } from '../../parts/visible-json.ts';
import { UtcBeside, When } from '../../parts/when.tsx';
import { saveProof } from '../proof/proof-queries.ts';
import { ReadingLog } from '../proof/reading-log.tsx';
import { addressLines } from './address.ts';
import classes from './payment-facts.module.css';
import type { Payment, PaymentDetail } from './payment-queries.ts';

export function PaymentFacts({
  detail: { payment, sessionId, shown, route },
}: {
  readonly detail: PaymentDetail;
}): ReactNode {
  const { paymentMethod, processor, customer, metadata } = payment;
  const mayProve = useMay('owner', 'developer', 'auditor');
  const card: MethodData = paymentMethod.paymentMethodData ?? {};
  return (
    <div className={classes['facts']}>
      <Section title="Payment">
        <Facts
          facts={[
            { name: 'Created', value: <Both date={payment.date} /> },
            { name: 'Last changed', value: <Both date={payment.dateUpdated} /> },
            {
              name: 'Order',
              value: (
                <Link to="/payments" search={{ order_id: payment.orderId }}>
                  {payment.orderId}
                </Link>
              ),
            },
            { name: 'Shown on the pay button', value: shown && moneyText(shown) },
            {
              name: 'Agreement',
              value:
                payment.agreementId === undefined ? undefined : (
                  <Link
                    to="/agreements/$agreementId"
                    params={{ agreementId: payment.agreementId }}
                    className={classes['mono'] ?? ''}
                  >
                    {payment.agreementId}
                  </Link>
                ),
            },
            { name: 'Period', value: payment.periodKey },
            {
              name: 'Client session',
              value:
                sessionId === undefined ? undefined : (
                  <Link to="/client-sessions/$sessionId" params={{ sessionId }} className={classes['mono'] ?? ''}>
                    {sessionId}
                  </Link>
                ),
            },
          ]}
        />
      </Section>
      <Section title="Customer">
        <Facts
          facts={[
            {
              name: 'Customer',
              value:
                payment.customerId === undefined ? (
                  '–'
                ) : (
                  <Link to="/customers" search={{ customer_id: payment.customerId }}>
                    {payment.customerId}
                  </Link>
                ),
            },
            { name: 'Name', value: hasName(customer) ? <NameOf {...customer} /> : undefined },
            { name: 'E-mail', value: customer?.emailAddress },
            { name: 'Phone', value: customer?.mobileNumber },
            { name: 'Billing address', value: linesOf(addressLines(customer?.billingAddress)) },
            { name: 'Shipping address', value: linesOf(addressLines(customer?.shippingAddress)) },
          ]}
        />
      </Section>
      <Section title="Payment method">
        <Facts
          facts={[
            { name: 'Method', value: <MethodText {...paymentMethod} /> },
            { name: 'Wallet', value: card.wallet === undefined ? undefined : nameOfMethod(card.wallet) },
            { name: 'First six digits', value: card.first6Digits },
            { name: 'Expires', value: expiryText(paymentMethod) },
            { name: 'Cardholder', value: card.cardholderName },
            { name: 'Bank', value: card.bankName },
            { name: 'Mandate', value: card.mandateReference },
            {
              name: 'Instrument',
              value: (
                <Link
                  to="/instruments/$token"
                  params={{ token: paymentMethod.paymentMethodToken }}
                  className={classes['mono'] ?? ''}
                >
                  {paymentMethod.paymentMethodToken}
                </Link>
              ),
            },
            { name: '3-D Secure', value: authenticationWords(paymentMethod.threeDSecureAuthentication) },
            { name: 'Saved', value: paymentMethod.isVaulted ? 'Yes' : 'No' },
            { name: 'Authorization', value: paymentMethod.authorizationType === 'ESTIMATED' ? 'Estimated' : 'Final' },
            { name: 'Capture', value: paymentMethod.captureMode === 'AUTOMATIC' ? 'Automatic' : 'Manual' },
            { name: 'Statement descriptor', value: paymentMethod.descriptor },
          ]}
        />
      </Section>
      <Section title="Processor">
        <Facts
          facts={[
            { name: 'Name', value: processor.name },
            {
              name: 'Transaction',
              value:
                processor.processorTransactionId === undefined ? (
                  '–'
                ) : (
                  <CopyText text={processor.processorTransactionId} />
                ),
            },
            ...routeFacts(route),
            { name: 'Address check', value: checkWords(processor.avsResult) },
            { name: 'Code check', value: checkWords(processor.cvcResult) },
          ]}
        />
      </Section>
      {mayProve && (
        <Section title="Proof">
          <ReadingLog
            label="Download proof"
            doing="Reading the log"
            variant="default"
            work={(onProgress, signal) => saveProof(payment.id, onProgress, signal)}
          />
        </Section>
      )}
      {metadata !== undefined && Object.keys(metadata).length > 0 && (
        <Section title="Metadata">
          <Facts
            facts={Object.entries(metadata).map(([key, value]) => ({
              name: key,
              value: typeof value === 'string' ? value : visibleJson(JSON.stringify(value)),
            }))}
          />
        </Section>
      )}
    </div>
  );
}

const hasName = (customer: Payment['customer']): boolean => (customer?.firstName ?? customer?.lastName) !== undefined;

/** Each part in a node of its own, so that none turns another. Nothing for an address that is not known. */
const linesOf = (lines: ReturnType<typeof addressLines>): ReactNode =>
  lines.length === 0
    ? undefined
    : lines.map(([first, second], at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines may be equal, and never move
        <span key={at} className={classes['addressLine']}>
          <bdi>{first}</bdi> {second !== undefined && <bdi>{second}</bdi>}
        </span>
      ));

const Both = ({ date }: { readonly date: string }): ReactNode => (
  <>
    <When ms={Date.parse(date)} as="second" />
    <UtcBeside ms={Date.parse(date)} className={classes['utc']} />
  </>
);

const CHECKS: { readonly [result: string]: string } = {
  MATCH: 'Matches',
  NO_MATCH: 'Does not match',
  NOT_CHECKED: 'Not checked',
};
const checkWords = (result: string | undefined): string | undefined =>
  result === undefined ? undefined : (CHECKS[result] ?? 'Unavailable');

/** The result of an authentication, or undefined if there was none. */
function authenticationWords(told: Payment['paymentMethod']['threeDSecureAuthentication']): string | undefined {
  if (told === undefined) return undefined;
  const how = told.challengeIssued === false ? ', without a challenge' : '';
  return told.responseCode === 'AUTH_FAILED' ? 'Not authenticated' : `Authenticated${how}`;
}

/** The choice by the rules of routing, and what it passed over. */
function routeFacts(route: PaymentDetail['route']) {
  if (route === undefined) return [];
  const { version, rule, connectionId, connectionName, skipped } = route;
  return [
    { name: 'Account', value: connectionName ?? <CopyText text={connectionId} /> },
    { name: 'Chosen by', value: `Rule “${rule}” of version ${version}` },
    {
      name: 'Skipped',
      value: linesOf(skipped.map((one) => [`${one.connectionName ?? one.connectionId}: ${SKIPPED[one.because]}`])),
    },
  ];
}

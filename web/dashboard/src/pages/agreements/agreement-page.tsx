// One agreement: its periods and their tries, its terms, the consent, and the payment that it began with.
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useMay } from '../../app/session.tsx';
import { CopyText } from '../../parts/copy.tsx';
import { type Done, DoneLine } from '../../parts/done-line.tsx';
import { Facts } from '../../parts/facts.tsx';
import { moneyText } from '../../parts/money.tsx';
import { PageFrame } from '../../parts/page-frame.tsx';
import { PathLink } from '../../parts/path-link.tsx';
import { Section } from '../../parts/section.tsx';
import { Failed, Loading } from '../../parts/states.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { visibleJson } from '../../parts/visible-json.ts';
import { WayBack } from '../../parts/way-back.tsx';
import { When } from '../../parts/when.tsx';
import { saveProof } from '../proof/proof-queries.ts';
import { ReadingLog } from '../proof/reading-log.tsx';
import { AgreementActions } from './agreement-actions.tsx';
import classes from './agreement-page.module.css';
import { agreementQueryOf } from './agreement-queries.ts';
import type { Agreement } from './agreement-types.ts';
import {
  ACTION_WORDS,
  CHANNEL_WORDS,
  KIND_WORDS,
  NOTICE_CHANNEL_WORDS,
  NOTICE_WORDS,
  retryWords,
  termsText,
} from './agreement-words.ts';
import { NextTry } from './next-try.tsx';
import { PeriodTries } from './period-tries.tsx';

export function AgreementPage(): ReactNode {
  const { agreementId = '' } = useParams({ strict: false });
  const read = useQuery(agreementQueryOf(agreementId));
  if (read.data === undefined)
    return (
      <PageFrame title="Agreement">
        {read.error === null ? (
          <Loading height={480} what="Loading the agreement" />
        ) : (
          <Failed fault={read.error} onRetry={() => void read.refetch()} />
        )}
      </PageFrame>
    );
  return <Shown agreement={read.data} />;
}

function Shown({ agreement }: { readonly agreement: Agreement }): ReactNode {
  const { id, status, terms } = agreement;
  const [done, setDone] = useState<Done>();
  const mayProve = useMay('owner', 'developer', 'auditor');
  return (
    <>
      <WayBack to="/agreements" words="Agreements" id={id} label="agreement id" />
      <PageFrame
        title={terms.description}
        heading={<bdi>{terms.description}</bdi>}
        aside={<StatusBadge status={status} />}
        actions={<AgreementActions agreement={agreement} onDone={setDone} />}
      >
        <DoneLine done={done} />
        <Reason agreement={agreement} />
        <div className={classes['columns']}>
          <div className={classes['main']}>
            <Section title="Periods">
              <PeriodTries agreement={agreement} />
            </Section>
            {mayProve && (
              <Section title="Proof">
                <p className={classes['dim']}>
                  A file with what was agreed and charged, which anyone can check without access here.
                </p>
                <ReadingLog
                  label="Download proof"
                  doing="Reading the log"
                  variant="default"
                  work={(onProgress, signal) => saveProof(id, onProgress, signal)}
                />
              </Section>
            )}
          </div>
          <aside className={classes['aside']} aria-label="About this agreement">
            <Terms agreement={agreement} />
            <Consent agreement={agreement} />
            <Notices agreement={agreement} />
            <Charged agreement={agreement} />
          </aside>
        </div>
      </PageFrame>
    </>
  );
}

/** Why the agreement is suspended or revoked; nothing otherwise. */
function Reason({ agreement: { action, statusReason, status } }: { readonly agreement: Agreement }): ReactNode {
  if (action === undefined && statusReason === undefined) return null;
  return (
    <section className={classes['notice']} aria-label="Reason">
      <p>
        <strong>{action === undefined ? 'The consent was withdrawn.' : `${ACTION_WORDS[action]}.`}</strong>{' '}
        {statusReason?.message}
      </p>
      {status === 'SUSPENDED' && (
        <p>
          Send the customer a payment link with this <code>agreementId</code>, or open a client session with it: the
          payment method of its payment is charged from then on.
        </p>
      )}
    </section>
  );
}

const timeOf = (time: string | undefined): ReactNode =>
  time === undefined ? undefined : <When ms={Date.parse(time)} as="second" />;

function Terms({ agreement }: { readonly agreement: Agreement }): ReactNode {
  const { terms, kind, customerId, usage, retry, date, metadata } = agreement;
  return (
    <Section title="Terms">
      <Facts
        facts={[
          { name: 'Amount', value: termsText(agreement) },
          { name: 'Kind', value: KIND_WORDS[kind] },
          {
            name: 'Customer',
            value: (
              <Link to="/customers" search={{ customer_id: customerId }}>
                {customerId}
              </Link>
            ),
          },
          { name: 'Starts', value: timeOf(terms.startsAt) },
          { name: 'Ends', value: timeOf(terms.endsAt) },
          { name: 'Periods charged', value: `${usage.succeeded}, ${usage.claimed} tried` },
          { name: 'Next try', value: <NextTry agreement={agreement} /> },
          { name: 'Retries', value: retryWords(retry) },
          { name: 'Created', value: timeOf(date) },
          {
            name: 'Metadata',
            value: metadata && <span className={classes['hash']}>{visibleJson(JSON.stringify(metadata))}</span>,
          },
        ]}
      />
    </Section>
  );
}

function Consent({ agreement: { consent } }: { readonly agreement: Agreement }): ReactNode {
  const { acceptedAt, channel, textDigest, textUrl, shownText, ipAddress, userAgent } = consent;
  return (
    <Section title="Consent">
      <Facts
        facts={[
          { name: 'Given', value: timeOf(acceptedAt) },
          { name: 'How', value: CHANNEL_WORDS[channel] },
          {
            name: 'SHA-256 of the text',
            value: (
              <span className={classes['hash']}>
                <CopyText text={textDigest} label="SHA-256 of the text" />
              </span>
            ),
          },
          { name: 'Shown in the checkout', value: shownText && <bdi>{shownText}</bdi> },
          { name: 'Text', value: textUrl && <bdi className={classes['hash']}>{textUrl}</bdi> },
          { name: 'Address', value: ipAddress && <bdi>{ipAddress}</bdi> },
          { name: 'Browser', value: userAgent && <bdi className={classes['hash']}>{userAgent}</bdi> },
        ]}
      />
    </Section>
  );
}

/** What the customer was told, newest first; nothing without one. */
function Notices({ agreement: { notices = [], terms } }: { readonly agreement: Agreement }): ReactNode {
  if (notices.length === 0) return null;
  return (
    <Section title="Notices">
      <ul className={classes['list']}>
        {notices.toReversed().map(({ kind, channel, sentAt, dueOn, amount }) => (
          <li key={`${kind} ${sentAt} ${dueOn} ${amount}`}>
            {NOTICE_WORDS[kind]}, {timeOf(sentAt)}, {NOTICE_CHANNEL_WORDS[channel]?.toLowerCase()}
            {dueOn !== undefined && `, due on ${dueOn}`}
            {amount !== undefined && `, ${moneyText({ amount, currencyCode: terms.currencyCode })}`}
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Charged({ agreement: { paymentMethodToken, initial } }: { readonly agreement: Agreement }): ReactNode {
  if (paymentMethodToken === undefined && initial === undefined) return null;
  return (
    <Section title="Payment method">
      <Facts
        facts={[
          {
            name: 'Instrument',
            value: paymentMethodToken && (
              <PathLink path={`/instruments/${paymentMethodToken}`} className={classes['hash']}>
                {paymentMethodToken}
              </PathLink>
            ),
          },
          {
            name: 'First payment',
            value: initial && (
              <PathLink path={`/payments/${initial.paymentId}`} className={classes['hash']}>
                {initial.paymentId}
              </PathLink>
            ),
          },
          { name: 'Card network', value: initial?.network },
          { name: 'Network transaction id', value: initial?.networkTransactionId },
          { name: 'Transaction link id', value: initial?.transactionLinkId },
        ]}
      />
    </Section>
  );
}

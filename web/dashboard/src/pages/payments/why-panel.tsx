// Why the chosen event happened: the chain from its origin, in words, with what it changed.
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { CopyText } from '../../parts/copy.tsx';
import { Money } from '../../parts/money.tsx';
import { Section } from '../../parts/section.tsx';
import { Failed, Loading } from '../../parts/states.tsx';
import { statusWords } from '../../parts/status-badge.tsx';
import { When } from '../../parts/when.tsx';
import { asOnPage } from './on-page.ts';
import { chainOf, type WhyStep, whyQuery } from './past-queries.ts';
import type { Payment } from './payment-queries.ts';
import classes from './why-panel.module.css';

interface WhyPanelProps {
  /** As it is now. */
  readonly payment: Payment;
  /** The revision of the chosen event. */
  readonly revision: number;
}

export function WhyPanel({ payment, revision }: WhyPanelProps): ReactNode {
  const { id, version } = payment;
  const { data, error, refetch } = useQuery(whyQuery(id, version));
  const chain = data === undefined ? [] : chainOf(data.data, revision);
  const requestId = chain.at(0)?.requestId;
  return (
    <Section title="Why">
      {data === undefined && error === null && <Loading what="Loading the chain" />}
      {data === undefined && error !== null && <Failed fault={error} onRetry={() => void refetch()} />}
      {data !== undefined && chain.length === 0 && <p className={classes['dim']}>The API tells this event’s chain.</p>}
      <ol className={classes['chain']}>
        {chain.map((step) => (
          <Step key={step.id} step={step} payment={payment} />
        ))}
      </ol>
      {requestId !== undefined && (
        <p className={classes['request']}>
          Request <CopyText text={requestId} label="request id" />
        </p>
      )}
    </Section>
  );
}

const KINDS: { readonly [kind: string]: string } = {
  ASKED: 'Asked',
  DECIDED: 'Decided',
  ANSWERED: 'Answered',
  LOOKED_UP: 'Looked up',
  NOTIFIED: 'Notified',
  RESOLVED: 'Resolved manually',
};

interface StepProps {
  readonly step: WhyStep;
  readonly payment: Pick<Payment, 'orderId' | 'currencyCode'>;
}

function Step({ step, payment: { orderId, currencyCode } }: StepProps): ReactNode {
  const { kind, words, date, call, changed = [], by, told } = step;
  // The words of a person, who may have written anything, stay as they are.
  const write = told?.source === 'operator' ? (text: string): string => text : asOnPage;
  return (
    <li>
      <p className={classes['kind']}>
        {KINDS[kind] ?? kind}
        <When ms={Date.parse(date)} as="second" />
      </p>
      <p className={classes['words']}>{isolated(words, [orderId, by.name ?? '', reasonIn(words)], write)}</p>
      {call !== undefined && (
        <p className={classes['dim']}>
          Sent to {call.processor} as <code>{call.reference}</code>
        </p>
      )}
      {changed.length > 0 && (
        <dl className={classes['changed']}>
          {changed.map(({ member, from, to }) => (
            <div key={member}>
              <dt>{MEMBERS[member] ?? member}</dt>
              <dd>
                {from !== undefined && (
                  <>
                    <Value value={from} currencyCode={currencyCode} /> →{' '}
                  </>
                )}
                <Value value={to} currencyCode={currencyCode} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </li>
  );
}

const REASON = ' Reason: ';
/** What a person gave as the reason, which is the end of a sentence; empty without one. */
const reasonIn = (words: string): string => words.split(REASON).slice(1).join(REASON);

/** The sentence with each text of others in a node of its own, so that none turns our words, which `write` writes. */
function isolated(words: string, texts: readonly string[], write: (words: string) => string): ReactNode {
  const [text, ...others] = texts;
  if (text === undefined) return write(words);
  const at = text === '' ? -1 : words.indexOf(text);
  if (at < 0) return isolated(words, others, write);
  return (
    <>
      {isolated(words.slice(0, at), others, write)}
      <bdi>{text}</bdi>
      {isolated(words.slice(at + text.length), others, write)}
    </>
  );
}

const MEMBERS: { readonly [member: string]: string } = {
  status: 'Status',
  amountAuthorized: 'Authorized',
  amountCapturable: 'Can be captured',
  amountCaptured: 'Captured',
  amountRefundable: 'Can be refunded',
  amountRefunded: 'Refunded',
};

const Value = ({
  value,
  currencyCode,
}: {
  readonly value: string | number;
  readonly currencyCode: string;
}): ReactNode =>
  typeof value === 'string' ? statusWords(value) : <Money amount={value} currencyCode={currencyCode} />;

// The calls of a delivery, newest first, each with its headers and response, and the resends that a person asked for.
import type { ReactNode } from 'react';
import { durationText } from '../../../parts/duration.ts';
import { StatusBadge } from '../../../parts/status-badge.tsx';
import { When } from '../../../parts/when.tsx';
import { StatusCode } from '../../requests/status-code.tsx';
import classes from './delivery-drawer.module.css';
import { RawFault } from './endpoint-words.tsx';
import type { DeliveryEntry } from './webhook-queries.ts';

type Call = Extract<DeliveryEntry, { readonly kind: 'call' }>;

export function DeliveryEntries({ entries }: { readonly entries: readonly DeliveryEntry[] }): ReactNode {
  if (entries.length === 0) return <p className={classes['dim']}>Not tried yet.</p>;
  let calls = 0;
  const numbered = entries.map((entry) => {
    if (entry.kind === 'call') calls += 1;
    return { entry, number: calls };
  });
  return (
    <ol className={classes['entries']}>
      {numbered.toReversed().map(({ entry, number }) =>
        entry.kind === 'call' ? (
          <CallEntry key={`call ${number}`} call={entry} number={number} isNewest={number === calls} />
        ) : (
          <li key={`resend ${entry.at}`} className={classes['asked']}>
            {byWhom(entry.actor.kind)} asked for a resend, <When ms={Date.parse(entry.at)} as="second" />
          </li>
        ),
      )}
    </ol>
  );
}

const byWhom = (kind: string): string => (kind === 'user' ? 'A user' : 'An operator');

interface CallProps {
  readonly call: Call;
  readonly number: number;
  readonly isNewest: boolean;
}

function CallEntry({
  call: { at, tookMs, status, fault, why, body, headers },
  number,
  isNewest,
}: CallProps): ReactNode {
  return (
    <li>
      <details className={classes['call']} open={isNewest}>
        <summary>
          <span className={classes['number']}>Call {number}</span>
          {status === null ? <StatusBadge status="no_answer" tone="bad" /> : <StatusCode status={status} />}
          <span className={classes['dim']}>
            <When ms={Date.parse(at)} as="second" /> · {durationText(tookMs)}
          </span>
        </summary>
        <h4>Answer</h4>
        {why !== null && <p className={classes['fault']}>{why}</p>}
        <RawFault fault={fault} />
        {status !== null && body === null && <p className={classes['dim']}>An empty body.</p>}
        {body !== null && <pre className={classes['text']}>{body}</pre>}
        <h4>Request headers</h4>
        {headers === null ? (
          <p className={classes['dim']}>They were not recorded then.</p>
        ) : (
          <dl className={classes['headers']}>
            {headers.map(({ name, value }) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
        )}
      </details>
    </li>
  );
}

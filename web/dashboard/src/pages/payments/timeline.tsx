// The history of a payment, newest first: each event in words, with its evidence, its actor and both times.
import { Button, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useMay, useUser } from '../../app/session.tsx';
import { CopiedId } from '../../parts/copied-id.tsx';
import { Money } from '../../parts/money.tsx';
import { Section } from '../../parts/section.tsx';
import { Failed, Loading } from '../../parts/states.tsx';
import { UtcBeside, When } from '../../parts/when.tsx';
import { asOnPage } from './on-page.ts';
import { type Payment, type StoryEvent, storyQuery } from './payment-queries.ts';
import { RawEvents } from './raw-events.tsx';
import classes from './timeline.module.css';

interface TimelineProps {
  /** As it is now. */
  readonly payment: Payment;
  /** The revision after which the page shows the payment. Later events have not happened yet. */
  readonly moment: number;
  readonly onShow: (revision: number) => void;
}

export function Timeline({ payment, moment, onShow }: TimelineProps): ReactNode {
  const story = useQuery(storyQuery(payment.id, payment.version));
  const maySeeRaw = useMay('owner', 'developer', 'auditor');
  const [isRaw, setRaw] = useState(false);
  const raw = maySeeRaw && (
    <Button variant="subtle" size="compact-sm" onClick={() => setRaw(true)}>
      Raw events
    </Button>
  );
  return (
    <Section title="Timeline" action={raw}>
      {story.data === undefined && story.error === null && <Loading height={240} what="Loading the timeline" />}
      {story.data === undefined && story.error !== null && (
        <Failed fault={story.error} onRetry={() => void story.refetch()} />
      )}
      <ol className={classes['list']}>
        {story.data?.data.toReversed().map((event) => (
          <Step key={event.id} event={event} moment={moment} onShow={onShow} />
        ))}
      </ol>
      {story.data?.isWhole === false && (
        <p className={classes['more']}>Only the first events are told here; the API has them all.</p>
      )}
      {maySeeRaw && <RawEvents payment={payment} isOpen={isRaw} onClose={() => setRaw(false)} />}
    </Section>
  );
}

function Step({
  event,
  moment,
  onShow,
}: { readonly event: StoryEvent } & Pick<TimelineProps, 'moment' | 'onShow'>): ReactNode {
  const { revision, title, amount, currencyCode, told, source, date, actor } = event;
  const ms = Date.parse(date);
  return (
    <li
      className={classes['step']}
      data-tone={toneOf(event)}
      data-later={revision > moment || undefined}
      aria-current={revision === moment ? 'step' : undefined}
    >
      <span className={classes['dot']} aria-hidden />
      <div className={classes['words']}>
        <p className={classes['title']}>
          <UnstyledButton
            className={classes['show']}
            onClick={() => onShow(revision)}
            title="Show the payment after this event"
          >
            {title}
          </UnstyledButton>
          {amount !== undefined && currencyCode !== undefined && (
            <span className={classes['amount']}>
              <Money amount={amount} currencyCode={currencyCode} />
            </span>
          )}
        </p>
        {told !== undefined && <p className={classes['told']}>{source === 'operator' ? told : asOnPage(told)}</p>}
        <p className={classes['meta']}>
          <When ms={ms} as="second" />
          <UtcBeside ms={ms} />
          <span>
            by <Actor actor={actor} />
          </span>
          {source !== undefined && <span>{SOURCES[source] ?? source}</span>}
        </p>
      </div>
    </li>
  );
}

const SOURCES: { readonly [source: string]: string } = {
  answer: 'evidence: the response to the call',
  lookup: 'evidence: a status inquiry at the processor',
  notification: 'evidence: a notification from the processor',
  operator: 'evidence: a manual confirmation',
  clock: 'by Counterfoil’s clock: the processor could not be asked',
};

function Actor({ actor: { kind, id, name } }: { readonly actor: StoryEvent['actor'] }): ReactNode {
  const { userId } = useUser();
  switch (kind) {
    case 'apiKey':
      return (
        <>
          API key <Named id={id} name={name} />
        </>
      );
    case 'checkout':
      return 'the checkout';
    case 'operator':
      return 'an operator at the command line';
    case 'policy':
      return 'Counterfoil';
    case 'processor':
      return `the processor ${id}`;
    case 'user':
      return id === userId ? 'you' : <Named id={id} name={name} />;
    default:
      return `${String(kind)} ${id}`;
  }
}

/** The name, with the id as its title; the id if nobody has that id any longer. */
const Named = ({ id, name }: { readonly id: string; readonly name: string | undefined }): ReactNode =>
  name === undefined ? <CopiedId id={id} label="id" /> : <bdi title={id}>{name}</bdi>;

/** The tone of an event, from the end of its name. */
function toneOf({ type }: Pick<StoryEvent, 'type'>): 'good' | 'bad' | 'warn' | 'quiet' {
  if (/(Declined|NotSent|NotFound|Returned|Abandoned|Lost|Expired)$/.test(type)) return 'bad';
  if (/(OutcomeUnknown|Mismatch|LateSuccess|DisputeOpened)/.test(type)) return 'warn';
  if (
    /^(PaymentAuthorized|PaymentCaptured|RefundSucceeded|AuthorizationVoided|AuthorizationAdjusted|SuccessConfirmed|DisputeWon)$/.test(
      type,
    )
  )
    return 'good';
  return 'quiet';
}

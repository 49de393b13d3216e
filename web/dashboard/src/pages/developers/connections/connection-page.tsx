// One connection: its references, its circuit breaker, the processor's own report on the account, and its last calls.
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useUser } from '../../../app/session.tsx';
import { CopyText } from '../../../parts/copy.tsx';
import { Facts } from '../../../parts/facts.tsx';
import { MachineTime } from '../../../parts/machine-time.tsx';
import { PageFrame } from '../../../parts/page-frame.tsx';
import { PathLink } from '../../../parts/path-link.tsx';
import { Section } from '../../../parts/section.tsx';
import { Failed, Loading } from '../../../parts/states.tsx';
import { WayBack } from '../../../parts/way-back.tsx';
import { When } from '../../../parts/when.tsx';
import { AccountCheck } from './account-check.tsx';
import { ChangeConnection, type ConnectionChange } from './change-connection.tsx';
import { type Connection, connectionQuery, type EndedCall } from './connection-queries.ts';
import { CircuitState, ConnectionStatus, SECRET_NAMES } from './connection-words.tsx';
import classes from './connections.module.css';
import { SharedMachine } from './connections-page.tsx';
import { LastCalls } from './last-calls.tsx';

export function ConnectionPage(): ReactNode {
  const { connectionId = '' } = useParams({ strict: false });
  const { data, error, refetch, dataUpdatedAt } = useQuery(connectionQuery(connectionId));
  if (data !== undefined)
    return <Shown key={connectionId} connection={data.connection} calls={data.calls} readAt={dataUpdatedAt} />;
  return (
    <PageFrame title="Processor account">
      {error === null ? (
        <Loading height={480} what="Loading the processor account" />
      ) : (
        <Failed fault={error} onRetry={() => void refetch()} />
      )}
    </PageFrame>
  );
}

interface ShownProps {
  readonly connection: Connection;
  readonly calls: readonly EndedCall[];
  /** When the response came, ms: its durations count from then. */
  readonly readAt: number;
}

function Shown({ connection, calls, readAt }: ShownProps): ReactNode {
  const { operatesStore } = useUser();
  const [change, setChange] = useState<ConnectionChange>();
  const { id, name, status } = connection;
  return (
    <>
      <WayBack to="/developers/connections" words="Processor accounts" id={id} label="connection id" />
      <PageFrame
        title={name}
        aside={<ConnectionStatus connection={connection} />}
        actions={
          status === 'active' && (
            <>
              {operatesStore && (
                <Button variant="default" onClick={() => setChange('rotate')}>
                  Change references
                </Button>
              )}
              <Button variant="default" color="red" onClick={() => setChange('disable')}>
                Disable
              </Button>
            </>
          )
        }
      >
        {!operatesStore && <SharedMachine />}
        <div className={classes['about']}>
          <About connection={connection} readAt={readAt} />
        </div>
        <AccountCheck id={id} processor={connection.processor} />
        <Section title="Last calls">
          <LastCalls calls={calls} />
        </Section>
      </PageFrame>
      {change !== undefined && (
        <ChangeConnection change={change} connection={connection} onClose={() => setChange(undefined)} />
      )}
    </>
  );
}

function About({
  connection: {
    id,
    processor,
    secrets,
    previousWebhookSecretUntil: until,
    publishableKey,
    apiUrl,
    burnProven,
    webhookKeyId,
    eventsSweptUntil,
    createdAt,
    disabledAt,
    circuit,
  },
  readAt,
}: Pick<ShownProps, 'connection' | 'readAt'>): ReactNode {
  return (
    <Facts
      facts={[
        { name: 'Processor', value: processor },
        { name: 'Server', value: apiUrl === null ? 'The processor’s own' : <bdi>{apiUrl}</bdi> },
        ...secrets.map((secret) => ({
          name: SECRET_NAMES[secret.name] ?? secret.name,
          value: <Reference secret={secret} />,
        })),
        {
          name: 'Previous webhook secret valid until',
          value: until === null ? undefined : <When ms={Date.parse(until)} />,
        },
        {
          name: 'Publishable key',
          value: publishableKey === null ? 'None' : <CopyText text={publishableKey} label="publishable key" />,
        },
        {
          name: 'Notifications',
          value: webhookKeyId !== null && (
            <>
              <code className={classes['reference']}>
                {location.origin}/webhooks/{processor}/…
              </code>
              <span className={classes['dim']}>
                The rest was shown once. You can create another URL for this account’s API key under{' '}
                <PathLink path="/developers/webhooks?tab=incoming">Incoming URLs</PathLink>.
              </span>
            </>
          ),
        },
        {
          name: 'Fences',
          value: burnProven ? (
            'Proven at this server'
          ) : (
            <>
              Not proven at this server
              <span className={classes['dim']}>
                An operation that the processor does not find stays unknown for an hour. In test mode,{' '}
                <code>counterfoil connections check {id} --script</code> proves the fences.
              </span>
            </>
          ),
        },
        {
          name: 'Circuit breaker',
          value: <Circuit circuit={circuit} readAt={readAt} />,
        },
        {
          name: 'Events read until',
          value:
            eventsSweptUntil === null ? undefined : (
              <>
                <When ms={Date.parse(eventsSweptUntil)} />
                <MachineTime />
              </>
            ),
        },
        { name: 'Added', value: <When ms={Date.parse(createdAt)} /> },
        { name: 'Disabled', value: disabledAt === null ? undefined : <When ms={Date.parse(disabledAt)} /> },
      ]}
    />
  );
}

const Reference = ({
  secret: { reference, problem },
}: {
  readonly secret: Connection['secrets'][number];
}): ReactNode => (
  <>
    <code className={classes['reference']}>
      <bdi>{reference}</bdi>
    </code>
    {problem === undefined ? (
      <span className={classes['dim']}>This node can read it.</span>
    ) : (
      <span className={classes['fault']}>
        <bdi>{problem}</bdi>
      </span>
    )}
  </>
);

const Circuit = ({
  circuit,
  readAt,
}: {
  readonly circuit: Connection['circuit'];
  readonly readAt: number;
}): ReactNode => {
  const { open, changedMs, triesInMs } = circuit;
  return (
    <>
      <CircuitState circuit={circuit} />
      <span className={classes['dim']}>
        {changedMs === undefined ? (
          'Since this node started.'
        ) : (
          <>
            Since <When ms={readAt - changedMs} as="second" />
            <MachineTime />.
          </>
        )}
        {open &&
          ` New operations are refused before anything is written. One may test the processor in ${Math.ceil((triesInMs ?? 0) / 1_000)} s.`}
      </span>
    </>
  );
};

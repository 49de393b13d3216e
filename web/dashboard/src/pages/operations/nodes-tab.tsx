// The running processes on this store, and the circuit breakers of the processors.
import { Progress } from '@mantine/core';
import { CheckCircledIcon, ExclamationTriangleIcon } from '@radix-ui/react-icons';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type Asking, answerOf, api } from '../../app/api.ts';
import { KEYS } from '../../app/query-keys.ts';
import { useUser } from '../../app/session.tsx';
import { Cut } from '../../parts/cut.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { durationText } from '../../parts/duration.ts';
import { Empty, Failed, Loading } from '../../parts/states.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import classes from './operations.module.css';

const LOOK_EVERY_MS = 3_000;
/** Twice the interval at which a process reports, in ms. */
const QUIET_MS = 7_000;

const readNodes = ({ signal }: Asking) => answerOf(api.GET('/dashboard/api/nodes', { signal }));
const readCircuits = ({ signal }: Asking) => answerOf(api.GET('/dashboard/api/circuits', { signal }));
type NodesAnswer = Awaited<ReturnType<typeof readNodes>>;
type Node = NodesAnswer['data'][number];
type Circuit = Awaited<ReturnType<typeof readCircuits>>['data'][number];

export function NodesTab(): ReactNode {
  const nodes = useQuery({ queryKey: [KEYS.operations, 'nodes'], queryFn: readNodes, refetchInterval: LOOK_EVERY_MS });
  return (
    <>
      {nodes.data !== undefined && <Readiness answer={nodes.data} />}
      <section className={classes['section']}>
        <h2>Nodes</h2>
        <p>
          The processes that work on this store. One leads: it follows the log and does due work for all; any other can
          take over.
        </p>
        <DataTable
          label="Nodes"
          columns={COLUMNS}
          rows={nodes.data?.data}
          rowKey={({ id }) => id}
          fault={nodes.error}
          onRetry={() => void nodes.refetch()}
          skeletonRows={1}
          empty={<Empty title="No process has reported" />}
        />
      </section>
      <section className={classes['section']}>
        <h2>Processors</h2>
        <Circuits />
      </section>
    </>
  );
}

function Readiness({ answer: { ready, reasons, notMoving, ...answer } }: { readonly answer: NodesAnswer }): ReactNode {
  const degraded = answer.degraded ?? 0;
  const count = `${degraded} ${degraded === 1 ? 'stream or API key is' : 'streams or API keys are'} parked or broken.`;
  const isWell = ready && notMoving.length === 0;
  return (
    <div className={classes['ready']} data-tone={ready ? (isWell ? 'good' : 'warn') : 'bad'}>
      {isWell ? <CheckCircledIcon aria-hidden /> : <ExclamationTriangleIcon aria-hidden />}
      <div>
        <p>{ready ? 'This node is ready.' : 'This node is not ready:'}</p>
        {reasons.length > 0 && (
          <ul>
            {reasons.map((reason) => (
              <li key={reason}>{reason}</li>
            ))}
          </ul>
        )}
        {degraded > 0 && <p>{count}</p>}
        {notMoving.length > 0 && (
          <>
            <p>Stopped (times in UTC):</p>
            <ul>
              {notMoving.map((one) => (
                <li key={one}>{one}</li>
              ))}
            </ul>
          </>
        )}
      </div>
    </div>
  );
}

const COLUMNS: readonly Column<Node>[] = [
  { id: 'name', header: 'Node', cell: ({ name, isThis }) => <NodeName name={name} isThis={isThis} /> },
  {
    id: 'leading',
    header: 'Work',
    cell: ({ leading }) => <StatusBadge status={leading ? 'leads' : 'follows'} tone={leading ? 'good' : 'quiet'} />,
  },
  { id: 'version', header: 'Version', cell: ({ version }) => version, isWideOnly: true },
  { id: 'up', header: 'Up', align: 'right', cell: ({ upMs }) => durationText(upMs) },
  {
    id: 'seen',
    header: 'Last seen',
    align: 'right',
    cell: ({ silentMs }) =>
      silentMs < QUIET_MS ? 'now' : <StatusBadge status={`${durationText(silentMs)} ago`} tone="warn" />,
    isWideOnly: true,
  },
];

const NodeName = ({ name, isThis }: Pick<Node, 'name' | 'isThis'>): ReactNode => (
  <Cut>
    <span className={classes['mono']}>{name}</span>
    {isThis && <span className={classes['dim']}> this node</span>}
  </Cut>
);

function Circuits(): ReactNode {
  const { data, error, refetch } = useQuery({
    queryKey: [KEYS.operations, 'circuits'],
    queryFn: readCircuits,
    refetchInterval: LOOK_EVERY_MS,
  });
  if (data === undefined) return error === null ? <Loading /> : <Failed fault={error} onRetry={() => void refetch()} />;
  const { windowMs, minCalls, failedShare, openMs } = data;
  if (data.data.length === 0) return <Empty title="This node has no processor">It cannot process payments.</Empty>;
  return (
    <>
      <p>
        The circuit breaker of a processor opens when {Math.round(failedShare * 100)}% of at least {minCalls} calls in{' '}
        {windowMs / 1_000} s got no response. New operations are then refused before anything is written, except one
        every {openMs / 1_000} s, which tests the processor. Each process, including each worker of a node, keeps its
        own count.
      </p>
      <div className={classes['circuits']}>
        {data.data.map((one) => (
          <CircuitCard key={`${one.accountId} ${one.processor}`} circuit={one} />
        ))}
      </div>
    </>
  );
}

function CircuitCard({ circuit }: { readonly circuit: Circuit }): ReactNode {
  const { accountId, processor, open, triesInMs, operation, lookUp, tokenization } = circuit;
  const isOwn = useUser().accountId === accountId;
  return (
    <article className={classes['circuit']}>
      <header>
        <h3>{isOwn ? processor : `${processor} of ${accountId}`}</h3>
        <StatusBadge
          status={open ? `open, next test in ${Math.ceil((triesInMs ?? 0) / 1_000)} s` : 'closed'}
          tone={open ? 'bad' : 'good'}
        />
      </header>
      <dl className={classes['calls']}>
        <Calls name="Operations" {...operation} />
        <Calls name="Look-ups" {...lookUp} />
        <Calls name="Tokenizations" {...tokenization} />
      </dl>
    </article>
  );
}

/** The share of calls in the window that got no response. */
const Calls = ({
  name,
  calls,
  failed,
}: {
  readonly name: string;
  readonly calls: number;
  readonly failed: number;
}): ReactNode => (
  <>
    <dt>{name}</dt>
    <dd>
      <Progress.Root size="sm">
        <Progress.Section
          value={calls === 0 ? 0 : ((calls - failed) / calls) * 100}
          color="green"
          aria-label={`${name} with a response`}
        />
        <Progress.Section
          value={calls === 0 ? 0 : (failed / calls) * 100}
          color="red"
          aria-label={`${name} without a response`}
        />
      </Progress.Root>
    </dd>
    <dd>{calls === 0 ? 'none' : `${failed} of ${calls} unanswered`}</dd>
  </>
);

// The last calls to a processor by a connection, as the node that responds remembers them.
import type { ReactNode } from 'react';
import { Cut } from '../../../parts/cut.tsx';
import { type Column, DataTable } from '../../../parts/data-table.tsx';
import { durationText } from '../../../parts/duration.ts';
import { RowCard } from '../../../parts/row-card.tsx';
import { Empty } from '../../../parts/states.tsx';
import { statusWords } from '../../../parts/status-badge.tsx';
import { When } from '../../../parts/when.tsx';
import type { EndedCall } from './connection-queries.ts';
import { CallOutcome } from './connection-words.tsx';
import classes from './connections.module.css';

export const LastCalls = ({ calls }: { readonly calls: readonly EndedCall[] }): ReactNode => (
  <>
    <p className={classes['dim']}>
      The newest 50 calls of this node since it started. Every process, including each worker of a node, keeps its own
      list. The history of each payment has the evidence on record.
    </p>
    <DataTable
      label="Last calls"
      columns={COLUMNS}
      rows={calls}
      rowKey={keyOf}
      card={(call) => <CallCard call={call} />}
      empty={<Empty title="No call since this node started" />}
    />
  </>
);

/** Two calls may begin in one millisecond. */
const keyOf = ({ at, what, outcome, processorTransactionId, tookMs }: EndedCall): string =>
  [at, what, outcome, processorTransactionId, tookMs].join(' ');

/** The reason of a refusal or a failure; otherwise the processor's own name of the thing. */
const Words = ({ call: { code, detail, processorTransactionId } }: { readonly call: EndedCall }): ReactNode => (
  <span className={classes['words']}>
    <bdi>{code ?? detail ?? processorTransactionId ?? ''}</bdi>
  </span>
);

const WordsCell = ({ call }: { readonly call: EndedCall }): ReactNode => (
  <Cut>
    <Words call={call} />
  </Cut>
);

const COLUMNS: readonly Column<EndedCall>[] = [
  { id: 'what', header: 'Call', width: '160px', cell: ({ what }) => statusWords(what) },
  { id: 'outcome', header: 'Outcome', width: '150px', cell: (call) => <CallOutcome call={call} /> },
  { id: 'words', header: 'Details', cell: (call) => <WordsCell call={call} /> },
  { id: 'took', header: 'Duration', align: 'right', width: '110px', cell: ({ tookMs }) => durationText(tookMs) },
  {
    id: 'at',
    header: 'Sent',
    align: 'right',
    width: '170px',
    cell: ({ at }) => <When ms={Date.parse(at)} as="second" />,
  },
];

const CallCard = ({ call }: { readonly call: EndedCall }): ReactNode => (
  <RowCard
    head={statusWords(call.what)}
    badge={<CallOutcome call={call} />}
    line={<Words call={call} />}
    aside={durationText(call.tookMs)}
    foot={<When ms={Date.parse(call.at)} as="second" />}
  />
);

// Proof: the last checkpoint of the log, the log compared with all of them, and a proof to take along.
import { Anchor, Button, TextInput } from '@mantine/core';
import { DownloadIcon } from '@radix-ui/react-icons';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { CopyText } from '../../parts/copy.tsx';
import { Cut } from '../../parts/cut.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { durationText } from '../../parts/duration.ts';
import { Facts } from '../../parts/facts.tsx';
import { moreOf } from '../../parts/more-rows.tsx';
import { PageFrame } from '../../parts/page-frame.tsx';
import { Section } from '../../parts/section.tsx';
import { Empty, Failed, Loading } from '../../parts/states.tsx';
import { When } from '../../parts/when.tsx';
import classes from './proof.module.css';
import {
  type Checkpoint,
  type Checkpoints,
  type Compared,
  checkpointsQuery,
  compareLog,
  saveCheckpoint,
  saveProof,
} from './proof-queries.ts';
import { ReadingLog } from './reading-log.tsx';

const number = new Intl.NumberFormat();

export function ProofPage(): ReactNode {
  const list = useInfiniteQuery(checkpointsQuery);
  const [first] = list.data?.pages ?? [];
  return (
    <PageFrame
      title="Proof"
      lead="The service signs its event log. Anyone who keeps a checkpoint can show later that nothing before it was changed."
    >
      {first === undefined ? (
        list.error === null ? (
          <Loading height={320} what="Reading the checkpoints" />
        ) : (
          <Failed fault={list.error} onRetry={() => void list.refetch()} />
        )
      ) : (
        <div className={classes['parts']}>
          <Last checkpoints={first} />
          <Comparison hasAny={first.data.length > 0} />
          <ProveOne />
          <Section title="Checkpoints">
            <DataTable
              label="Checkpoints"
              columns={COLUMNS}
              rows={list.data?.pages.flatMap(({ data }) => data)}
              rowKey={({ signature }) => signature}
              empty={<Empty title="No checkpoints yet">{whenNext(first)}</Empty>}
              more={moreOf(list)}
            />
          </Section>
        </div>
      )}
    </PageFrame>
  );
}

const COLUMNS: readonly Column<Checkpoint>[] = [
  { id: 'made', header: 'Signed', width: '170px', cell: ({ madeAt }) => <When ms={Date.parse(madeAt)} as="second" /> },
  { id: 'events', header: 'Events', align: 'right', width: '110px', cell: ({ treeSize }) => number.format(treeSize) },
  {
    id: 'root',
    header: 'Root',
    isWideOnly: true,
    cell: ({ root }) => (
      <Cut>
        <span className={classes['hash']}>{root}</span>
      </Cut>
    ),
  },
  {
    id: 'file',
    header: '',
    align: 'right',
    width: '64px',
    cell: (checkpoint) => (
      <Button
        variant="subtle"
        size="compact-sm"
        aria-label={`Download the checkpoint of ${number.format(checkpoint.treeSize)} events`}
        onClick={() => saveCheckpoint(checkpoint)}
      >
        <DownloadIcon aria-hidden />
      </Button>
    ),
  },
];

const whenNext = ({ everyMs }: Checkpoints): string =>
  everyMs === undefined
    ? 'The setting COUNTERFOIL_CHECKPOINT_EVERY is off.'
    : `The service records one every ${periodText(everyMs)}, the first one that long after the store was created.`;

const HOUR_MS = 3_600_000;
const periodText = (ms: number): string => (ms === HOUR_MS ? 'hour' : durationText(ms));

function Last({ checkpoints }: { readonly checkpoints: Checkpoints }): ReactNode {
  const { data, publicKeys, everyMs } = checkpoints;
  const [last] = data;
  const [key] = publicKeys;
  return (
    <Section
      title="Last checkpoint"
      action={
        last !== undefined && (
          <Button variant="default" size="xs" leftSection={<DownloadIcon />} onClick={() => saveCheckpoint(last)}>
            Download
          </Button>
        )
      }
    >
      <Facts
        facts={[
          { name: 'Signed', value: last === undefined ? 'Not yet' : <When ms={Date.parse(last.madeAt)} as="second" /> },
          {
            name: 'Covers',
            value: last && `The first ${number.format(last.treeSize)} events of the log, of all accounts`,
          },
          { name: 'Does not cover', value: last && 'Itself and later events: the next checkpoint covers those' },
          { name: 'Root', value: last && <CopyText text={last.root} label="root" /> },
          { name: 'Public key', value: key && <CopyText text={key} label="public key" /> },
          {
            name: 'Recorded',
            value: everyMs === undefined ? 'Never: the setting is off' : `Every ${periodText(everyMs)}`,
          },
        ]}
      />
    </Section>
  );
}

function Comparison({ hasAny }: { readonly hasAny: boolean }): ReactNode {
  const [compared, setCompared] = useState<Compared>();
  return (
    <Section title="Verify the log">
      <div className={classes['part']}>
        <p>
          Reads the whole log and compares it with each of its checkpoints. This finds every change of what the last
          checkpoint covers, unless it is by a person who has the master secret. Only a checkpoint that somebody else
          has kept finds that.
        </p>
        <ReadingLog
          label="Verify now"
          doing="Verifying the log"
          isDisabled={!hasAny}
          work={async (onProgress, signal) => {
            setCompared(undefined);
            setCompared(await compareLog(onProgress, signal));
          }}
        />
        <div role="status">{compared !== undefined && <Outcome compared={compared} />}</div>
      </div>
    </Section>
  );
}

function Outcome({ compared }: { readonly compared: Compared }): ReactNode {
  const { events, held, failed, newest, firstFailed } = compared;
  if (firstFailed !== undefined)
    return (
      <p className={classes['outcome']} data-tone="bad">
        {failed === 1 ? '1 checkpoint does' : `${number.format(failed)} checkpoints do`} not hold. The first one covers{' '}
        {number.format(firstFailed.treeSize)} events and was signed at{' '}
        <When ms={Date.parse(firstFailed.madeAt)} as="second" />: {firstFailed.fault}. Run{' '}
        <code>counterfoil audit verify</code>, which names broken streams.
      </p>
    );
  return (
    <p className={classes['outcome']} data-tone={newest === undefined ? 'warn' : 'good'}>
      {newest === undefined
        ? 'The log has no checkpoint.'
        : `${held === 1 ? '1 checkpoint holds' : `All ${number.format(held)} checkpoints hold`}. The first ${number.format(newest.treeSize)} events are those that were signed; ${laterText(events - newest.treeSize)} no checkpoint yet.`}
    </p>
  );
}

const laterText = (count: number): string =>
  count === 1 ? '1 later event has' : `${number.format(count)} later events have`;

function ProveOne(): ReactNode {
  const [text, setText] = useState('');
  const id = text.trim();
  const isId = /^(pay|agr)_[0-9A-Za-z]{1,64}$/.test(id);
  return (
    <Section title="Prove a payment or an agreement">
      <div className={classes['part']}>
        <p>
          The file proves a payment, its session, its instrument and the processor’s notifications, or an agreement with
          all of its payments, to people who have no access here. They check it with <code>counterfoil-verify</code>, or{' '}
          <Anchor href="/docs/proofs#check-a-file-in-your-browser">in a browser</Anchor>. It contains the customer’s
          data: give it only to those who may see that.
        </p>
        <TextInput
          label="Id of a payment or an agreement"
          placeholder="pay_… or agr_…"
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
          error={id !== '' && !isId && 'The id of a payment starts with pay_, that of an agreement with agr_'}
          autoComplete="off"
          spellCheck={false}
          className={classes['id'] ?? ''}
        />
        <ReadingLog
          label="Download proof"
          doing="Reading the log"
          isDisabled={!isId}
          work={(onProgress, signal) => saveProof(id, onProgress, signal)}
        />
      </div>
    </Section>
  );
}

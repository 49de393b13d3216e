// The dialog that rebuilds one read model: the question, the progress, and the proof.
import { Button, Group, Modal, Stack, Switch, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { answerOf, api } from '../../app/api.ts';
import { FaultLine } from '../../parts/fault-line.tsx';
import { When } from '../../parts/when.tsx';
import classes from './operations.module.css';
import {
  type ProjectionRow,
  type RebuildAnswer,
  rebuildQuery,
  takeRebuild,
  useRebuildInterval,
} from './projection-queries.ts';
import { RebuildProgress } from './rebuild-progress.tsx';
import { RebuildProof } from './rebuild-proof.tsx';

interface RebuildDialogProps {
  /** Undefined: closed. */
  readonly projection: ProjectionRow | undefined;
  readonly onClose: () => void;
}

export function RebuildDialog({ projection, onClose }: RebuildDialogProps): ReactNode {
  return (
    <Modal
      opened={projection !== undefined}
      onClose={onClose}
      size="lg"
      title={projection === undefined ? '' : <RebuildTitle name={projection.name} />}
    >
      {projection !== undefined && <Rebuild key={projection.name} projection={projection} onClose={onClose} />}
    </Modal>
  );
}

const RebuildTitle = ({ name }: { readonly name: string }): ReactNode => (
  <>
    Rebuild <span className={classes['mono']}>{name}</span>
  </>
);

function Rebuild({
  projection,
  onClose,
}: {
  readonly projection: ProjectionRow;
  readonly onClose: () => void;
}): ReactNode {
  const { name } = projection;
  const queries = useQueryClient();
  const [isAsking, setAsking] = useState(projection.rebuild?.state !== 'running');
  const refetchInterval = useRebuildInterval();
  const { data = projection.rebuild } = useQuery({
    ...rebuildQuery(name),
    enabled: projection.rebuild !== undefined || !isAsking,
    refetchInterval,
  });
  const start = useMutation({
    mutationFn: (dryRun: boolean) =>
      answerOf(api.POST('/dashboard/api/projections/{name}/rebuild', { params: { path: { name } }, body: { dryRun } })),
    onSuccess: (started) => {
      takeRebuild(queries, started);
      setAsking(false);
    },
  });
  if (data !== undefined && data.state === 'running') return <RebuildProgress rebuild={data} onClose={onClose} />;
  if (!isAsking && data !== undefined)
    return <Ended rebuild={data} onAgain={() => setAsking(true)} onClose={onClose} />;
  return (
    <Question projection={projection} last={data} start={start} onLast={() => setAsking(false)} onClose={onClose} />
  );
}

interface QuestionProps {
  readonly projection: ProjectionRow;
  readonly last: RebuildAnswer | undefined;
  readonly start: {
    readonly mutate: (dryRun: boolean) => void;
    readonly isPending: boolean;
    readonly error: Error | null;
  };
  readonly onLast: () => void;
  readonly onClose: () => void;
}

function Question({ projection, last, start, onLast, onClose }: QuestionProps): ReactNode {
  const [isDryRun, setDryRun] = useState(false);
  return (
    <Stack gap="md">
      <Text>
        Counterfoil builds a new generation from the event log, compares it with the live one document by document, and
        then switches to it. Requests are served throughout. A rebuild that stops leaves the live generation as it is.
      </Text>
      <Switch
        label="Dry run"
        description="Builds and compares, then discards the new generation"
        checked={isDryRun}
        onChange={({ currentTarget }) => setDryRun(currentTarget.checked)}
      />
      {last !== undefined && (
        <p className={classes['last']}>
          <span>
            Last started <When ms={Date.parse(last.startedAt)} />
          </span>
          <Button variant="subtle" size="compact-sm" onClick={onLast}>
            Show result
          </Button>
        </p>
      )}
      <FaultLine fault={start.error} />
      <Group justify="space-between" gap="xs">
        <Text size="sm" c="dimmed">
          {new Intl.NumberFormat().format(projection.documents ?? 0)} documents, version {projection.version}
        </Text>
        <Group gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button loading={start.isPending} onClick={() => start.mutate(isDryRun)} data-autofocus>
            {isDryRun ? 'Start dry run' : 'Rebuild'}
          </Button>
        </Group>
      </Group>
    </Stack>
  );
}

interface EndedProps {
  readonly rebuild: RebuildAnswer;
  readonly onAgain: () => void;
  readonly onClose: () => void;
}

function Ended({ rebuild, onAgain, onClose }: EndedProps): ReactNode {
  return (
    <Stack gap="md">
      {rebuild.proof === undefined ? (
        <Failure rebuild={rebuild} />
      ) : (
        <RebuildProof rebuild={rebuild} proof={rebuild.proof} />
      )}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onAgain}>
          Run again
        </Button>
        <Button onClick={onClose} data-autofocus>
          Done
        </Button>
      </Group>
    </Stack>
  );
}

const LOST = 'The process that ran the rebuild has not reported for 10 seconds.';

const Failure = ({ rebuild: { state, fault } }: { readonly rebuild: RebuildAnswer }): ReactNode => (
  <div className={classes['failure']} role="alert">
    <strong>The rebuild failed</strong>
    <span>{state === 'lost' ? LOST : fault}</span>
    <span>The live read model is unchanged, and the new generation was removed.</span>
  </div>
);

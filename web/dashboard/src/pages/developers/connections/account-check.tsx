// The processor's own report on the account of a connection, when a user asks for it.
import { Button } from '@mantine/core';
import { CheckCircledIcon, ExclamationTriangleIcon } from '@radix-ui/react-icons';
import { type ReactNode, useState } from 'react';
import { useRunning } from '../../../app/use-running.ts';
import { FaultLine } from '../../../parts/fault-line.tsx';
import { Section } from '../../../parts/section.tsx';
import { checkConnection, type Examination } from './connection-queries.ts';
import classes from './connections.module.css';

export function AccountCheck({ id, processor }: { readonly id: string; readonly processor: string }): ReactNode {
  const [found, setFound] = useState<Examination>();
  const { isRunning, fault, run } = useRunning(async () => setFound(await checkConnection(id)));
  return (
    <Section
      title="Check"
      action={
        <form onSubmit={run}>
          <Button type="submit" variant="default" loading={isRunning}>
            Check account
          </Button>
        </form>
      }
    >
      <FaultLine fault={fault} />
      <div role="status">
        {found === undefined ? (
          <p className={classes['dim']}>Asks {processor} about the account, its mode and its webhooks.</p>
        ) : (
          <Lines found={found} />
        )}
      </div>
    </Section>
  );
}

const Lines = ({ found: { isGood, lines } }: { readonly found: Examination }): ReactNode => (
  <>
    <p>{isGood ? 'Everything is in order.' : 'Something needs attention:'}</p>
    <ul className={classes['lines']}>
      {lines.map((line) => (
        <li key={line.name} data-good={line.isGood}>
          {line.isGood ? (
            <CheckCircledIcon role="img" aria-label="In order" />
          ) : (
            <ExclamationTriangleIcon role="img" aria-label="Needs attention" />
          )}
          <span className={classes['lineName']}>{line.name}</span>
          <bdi className={classes['lineValue']}>{line.value}</bdi>
        </li>
      ))}
    </ul>
  </>
);

// What to set for a reference, with the exact name to copy, and whether this node can use it: looked at again and again
// while a person sets it. The secret itself never comes to the page.
import { useDebouncedValue } from '@mantine/hooks';
import { CheckCircledIcon, ClockIcon } from '@radix-ui/react-icons';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { CopiedText } from '../../../parts/copied-text.tsx';
import { referenceQuery } from './connection-queries.ts';
import classes from './connections.module.css';

interface ReferenceWatchProps {
  readonly processor: string;
  readonly what: 'secretKey' | 'webhookSecret';
  /** As it was typed. */
  readonly reference: string;
}

/** A secret that was typed in place of its reference is not sent anywhere. */
const REFERENCE = /^(?:env:(?!(?:sk|rk|pk|whsec)_)([A-Za-z_][A-Za-z0-9_]*)|file:(\/\S+))$/;
const TYPING_MS = 300;

export function ReferenceWatch({ processor, what, reference }: ReferenceWatchProps): ReactNode {
  const [settled] = useDebouncedValue(reference.trim(), TYPING_MS);
  const [, variable, path] = REFERENCE.exec(settled) ?? [];
  const name = variable ?? path;
  const { data } = useQuery({
    ...referenceQuery({ processor, what, reference: settled }),
    enabled: name !== undefined && processor !== '',
  });
  if (name === undefined) return null;
  const isUsable = data?.isUsable === true;
  return (
    <div className={classes['watch']}>
      {!isUsable && (
        <>
          <span className={classes['dim']}>
            {variable === undefined
              ? 'Write the secret into this file. Only the user of the service needs to read it; no restart is needed.'
              : 'Set this variable to the secret where the service starts, then restart the service.'}
          </span>
          <CopiedText label={variable === undefined ? 'path' : 'variable'} text={name} />
        </>
      )}
      <p role="status" data-usable={isUsable}>
        {isUsable ? <CheckCircledIcon aria-hidden /> : <ClockIcon aria-hidden />}
        {data === undefined
          ? 'Looking for it on this node.'
          : isUsable
            ? 'This node can use it. Every other node needs it too.'
            : `This node finds no ${SECRETS[what]} of ${processor} there yet. It looks every 2 seconds.`}
      </p>
    </div>
  );
}

const SECRETS = { secretKey: 'secret API key', webhookSecret: 'webhook secret' } as const;

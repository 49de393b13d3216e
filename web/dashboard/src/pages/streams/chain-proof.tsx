// The result of a chain's verification, with the path of hashes from event to event.
import { Collapse, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { CheckCircledIcon, ChevronDownIcon, ExclamationTriangleIcon } from '@radix-ui/react-icons';
import type { ReactNode } from 'react';
import { CopyText } from '../../parts/copy.tsx';
import type { ChainProof } from './stream-queries.ts';
import classes from './streams.module.css';

const SHOWN = 16;
const number = new Intl.NumberFormat();

export function ChainProofPanel({ proof }: { readonly proof: ChainProof }): ReactNode {
  const { intact, events, links, broken } = proof;
  const [isOpen, { toggle }] = useDisclosure(true);
  const left = events - links.length;
  return (
    <section className={classes['proof']} data-intact={intact} aria-label="The chain of the stream">
      <UnstyledButton className={classes['proofHead'] ?? ''} onClick={toggle} aria-expanded={isOpen}>
        {intact ? <CheckCircledIcon aria-hidden /> : <ExclamationTriangleIcon aria-hidden />}
        <span>
          <strong>
            {intact
              ? `Intact: ${number.format(events)} ${events === 1 ? 'event' : 'events'}, each bound to the previous one`
              : `Broken at revision ${broken?.revision}`}
          </strong>
          <span>
            {intact
              ? 'Every event contains the SHA-256 of the previous event. All were recomputed a moment ago.'
              : `${broken?.fault}. The ${number.format(events)} events before it are intact.`}
          </span>
        </span>
        <ChevronDownIcon className={classes['chevron']} data-open={isOpen} aria-hidden />
      </UnstyledButton>
      <Collapse expanded={isOpen}>
        <ol className={classes['links']}>
          {left > 0 && <li className={classes['left']}>{number.format(left)} earlier events, checked as well</li>}
          {links.map(({ revision, type, hash, previousHash }) => (
            <li key={revision}>
              <span className={classes['revision']}>{revision}</span>
              <span className={classes['type']}>{type}</span>
              <span className={classes['hash']}>
                <span title={previousHash === '' ? 'the first event' : previousHash}>
                  {previousHash === '' ? 'first' : `${previousHash.slice(0, SHOWN)}…`}
                </span>
                <span aria-hidden>→</span>
                <CopyText text={hash} label={`hash of event ${revision}`}>
                  {hash.slice(0, SHOWN)}…
                </CopyText>
              </span>
            </li>
          ))}
          {broken !== undefined && (
            <li className={classes['breakLine']}>
              <span className={classes['revision']}>{broken.revision}</span>
              <span className={classes['type']}>does not follow</span>
            </li>
          )}
        </ol>
      </Collapse>
    </section>
  );
}

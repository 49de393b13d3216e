// The events of a stream as a list to choose from, oldest first.
import { Button } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { FaultLine } from '../../parts/fault-line.tsx';
import type { MoreRowsProps } from '../../parts/more-rows.tsx';
import { When } from '../../parts/when.tsx';
import type { StreamEvent } from './stream-queries.ts';
import classes from './streams.module.css';

interface EventListProps {
  readonly events: readonly StreamEvent[];
  /** The revision of the chosen one. */
  readonly shown: number;
  readonly onShow: (revision: number) => void;
  readonly more: MoreRowsProps;
}

export function EventList({ events, shown, onShow, more }: EventListProps): ReactNode {
  const list = useRef<HTMLOListElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another event was chosen
  useEffect(() => {
    const chosen = list.current?.querySelector('[aria-current="true"]');
    const box = list.current;
    if (box === null || !(chosen instanceof HTMLElement)) return;
    // Only the list scrolls: the page stays where the reader has it.
    const top = chosen.offsetTop - box.offsetTop;
    if (top < box.scrollTop) box.scrollTop = top;
    else if (top + chosen.offsetHeight > box.scrollTop + box.clientHeight)
      box.scrollTop = top + chosen.offsetHeight - box.clientHeight;
  }, [shown]);
  return (
    <ol className={classes['events']} ref={list} aria-label="Events">
      {events.map(({ revision, type, recordedAt, changes, metadata }) => (
        <li key={revision}>
          <button type="button" aria-current={revision === shown} onClick={() => onShow(revision)}>
            <span className={classes['revision']}>{revision}</span>
            <span className={classes['type']}>{type}</span>
            <span className={classes['by']}>
              <When ms={Date.parse(recordedAt)} as="second" />
              <span>{actorIn(metadata)}</span>
            </span>
            <span className={classes['changes']}>{changes.length}</span>
          </button>
        </li>
      ))}
      {more.hasMore && (
        <li className={classes['moreEvents']}>
          <FaultLine fault={more.fault} />
          <Button variant="default" size="compact-md" loading={more.isLoading} onClick={more.load}>
            {more.fault === null ? 'More' : 'Try again'}
          </Button>
        </li>
      )}
    </ol>
  );
}

/** `apiKey`, `user`, …: who caused it; the event's own tab has the id. */
function actorIn(metadata: unknown): string {
  if (typeof metadata !== 'object' || metadata === null || !('actor' in metadata)) return '';
  const { actor } = metadata;
  return typeof actor === 'object' && actor !== null && 'kind' in actor
    ? (WORDS.get(String(actor.kind)) ?? String(actor.kind))
    : '';
}

const WORDS: ReadonlyMap<string, string> = new Map([['apiKey', 'API key']]);

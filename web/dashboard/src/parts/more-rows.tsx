// The end of a list with further pages. The next page loads automatically when it is near, and with a button. After an
// error it loads only with the button.
import { Button } from '@mantine/core';
import { type ReactNode, useEffect, useEffectEvent, useRef } from 'react';
import { FaultLine } from './fault-line.tsx';
import classes from './more-rows.module.css';

export interface MoreRowsProps {
  readonly hasMore: boolean;
  readonly isLoading: boolean;
  /** The error of the next page. */
  readonly fault: Error | null;
  readonly load: () => void;
}

/** The properties of useInfiniteQuery about the next page. */
interface PagedAnswer {
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  readonly isFetchNextPageError: boolean;
  readonly error: Error | null;
  readonly fetchNextPage: () => Promise<unknown>;
}

export const moreOf = ({
  hasNextPage,
  isFetchingNextPage,
  isFetchNextPageError,
  error,
  fetchNextPage,
}: PagedAnswer): MoreRowsProps => ({
  hasMore: hasNextPage,
  isLoading: isFetchingNextPage,
  fault: isFetchNextPageError ? error : null,
  load: () => void fetchNextPage(),
});

/** How far below the window the end of the list may be. */
const NEAR = '600px';

export function MoreRows({ hasMore, isLoading, fault, load }: MoreRowsProps): ReactNode {
  const place = useRef<HTMLDivElement>(null);
  const loadByItself = useEffectEvent(load);
  const isWatched = hasMore && !isLoading && fault === null;
  useEffect(() => {
    if (!isWatched || place.current === null) return;
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting === true && loadByItself(), {
      rootMargin: NEAR,
    });
    observer.observe(place.current);
    return () => observer.disconnect();
  }, [isWatched]);
  if (!hasMore) return null;
  return (
    <div className={classes['more']} ref={place}>
      <FaultLine fault={fault} />
      <Button variant="default" loading={isLoading} onClick={load}>
        {fault === null ? 'More' : 'Try again'}
      </Button>
    </div>
  );
}

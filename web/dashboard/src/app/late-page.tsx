// Loads a page when it is opened, or earlier, while the browser is idle; so too a part that a page shows on demand. If
// it cannot be loaded, the frame stays, and the page tries again.
import { type ComponentType, createElement, type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { PageFrame } from '../parts/page-frame.tsx';
import { Failed, Loading } from '../parts/states.tsx';
import { useLiveState } from './live.ts';

/** The pause before the next try, in ms; each is twice the previous one. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 10_000;

const ABSENT = new Error(
  'The service did not send this page. It may be restarting, or the connection is lost. The page tries again automatically.',
);

/** The name of the session's storage for the build that this tab was last reloaded for. */
const RELOADED_FOR = 'counterfoil-reloaded-for';

/** The loads of all pages, each of which imports its page once. */
const loads: (() => Promise<unknown>)[] = [];

interface LatePage<Props extends object> {
  (props: Props): ReactNode;
  /** Starts to load the page, and resolves at once: the frame and the address change without it. */
  readonly preload: () => Promise<void>;
}

/** The page that `importer` loads. */
export function latePage<Props extends object = object>(
  importer: () => Promise<ComponentType<Props>>,
): LatePage<Props> {
  let page: ComponentType<Props> | undefined;
  const load = async (): Promise<ComponentType<Props>> => {
    page ??= await importer();
    return page;
  };
  loads.push(load);
  const Late = (props: Props): ReactNode => <Opened known={page} load={load} props={props} />;
  const preload = async (): Promise<void> => void load().catch(() => undefined);
  return Object.assign(Late, { preload });
}

interface OpenedProps<Props extends object> {
  readonly known: ComponentType<Props> | undefined;
  readonly load: () => Promise<ComponentType<Props>>;
  readonly props: Props;
}

/** A page that is open: itself, or what stands for it until it is loaded. */
function Opened<Props extends object>({ known, load, props }: OpenedProps<Props>): ReactNode {
  const [page, setPage] = useState(() => known);
  const [failures, setFailures] = useState(0);
  const isTrying = useRef(false);
  const tryOnce = useCallback(() => {
    if (isTrying.current) return;
    isTrying.current = true;
    openPage(load)
      .then(
        (loaded) => setPage(() => loaded),
        () => setFailures((before) => before + 1),
      )
      .finally(() => {
        isTrying.current = false;
      });
  }, [load]);
  const isLoaded = page !== undefined;
  useEffect(() => {
    if (isLoaded) return;
    const pauseMs = failures === 0 ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS);
    const timer = setTimeout(tryOnce, pauseMs);
    return () => clearTimeout(timer);
  }, [isLoaded, failures, tryOnce]);
  if (page !== undefined) return createElement(page, props);
  if (failures === 0) return <Loading height={320} />;
  return (
    <PageFrame title="This page could not be loaded">
      <Failed isByHand fault={ABSENT} onRetry={tryOnce} />
    </PageFrame>
  );
}

/**
 * Loads a page that a user has opened. If the service responds and still has no such page, it is of a newer build:
 * then this tab is reloaded, once for each build. Throws if the page cannot be loaded now.
 */
async function openPage<Page>(load: () => Promise<Page>): Promise<Page> {
  try {
    return await load();
  } catch {
    const build = await servedBuild();
    try {
      return await load();
    } catch (fault) {
      if (sessionStorage.getItem(RELOADED_FOR) === build) throw fault;
      sessionStorage.setItem(RELOADED_FOR, build);
      location.reload();
      return new Promise(() => undefined);
    }
  }
}

/** The name of the script that the service starts its pages with now. Throws if the service does not respond. */
async function servedBuild(): Promise<string> {
  const response = await fetch('/dashboard/', { cache: 'no-store' });
  const [build] = /assets\/index-[\w-]+\.js/.exec(await response.text()) ?? [];
  if (!response.ok || build === undefined) throw new Error(`/dashboard/ responded with ${response.status}`);
  return build;
}

/** Loads all pages, one after the other, while the browser is idle. Returns a function that stops it. */
function loadAllWhenIdle(): () => void {
  let isOver = false;
  const run = async (): Promise<void> => {
    for (const load of loads) {
      await idle();
      if (isOver) return;
      // It is loaded when it is opened, or when the service is found again.
      await load().catch(() => undefined);
    }
  };
  void run();
  return () => {
    isOver = true;
  };
}

/** Safari has no idle callbacks. */
const WITHOUT_CALLBACKS_MS = 200;

const idle = (): Promise<unknown> =>
  new Promise((resolve) => {
    if ('requestIdleCallback' in globalThis) requestIdleCallback(resolve);
    else setTimeout(resolve, WITHOUT_CALLBACKS_MS);
  });

/** Loads all pages while the service is connected. Used once, in the frame. */
export function useAllPages(): void {
  const state = useLiveState();
  useEffect(() => {
    if (state === 'live') return loadAllWhenIdle();
    return undefined;
  }, [state]);
}

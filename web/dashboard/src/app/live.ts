// The live stream of the service's events: one stream of server-sent events for each browser, for any number of tabs.
// The tab that holds the lock reads the stream and tells the others over a channel; when it closes, another tab takes
// over.
import { useEffect, useSyncExternalStore } from 'react';

const STREAM_PATH = '/dashboard/api/live';
const NAME = 'counterfoil-live';
const RETRY_MS = 3_000;
/** The server has ended the session or refuses the stream. Each tab then checks whether a user is signed in. */
const SIGNED_OUT: LiveMessage = { topic: 'signed-out' };

/** One message of the stream: JSON with a topic, such as `payment` or `rebuild`. */
export interface LiveMessage {
  readonly topic: string;
  readonly [member: string]: unknown;
}
type LiveState = 'connecting' | 'live' | 'lost';

type Told =
  | { readonly kind: 'message'; readonly id: string; readonly message: LiveMessage }
  | { readonly kind: 'state'; readonly state: LiveState }
  | { readonly kind: 'ask' };

const listeners = new Set<(message: LiveMessage) => void>();
const stateListeners = new Set<() => void>();
let state: LiveState = 'connecting';
let lastId = '';
let isLeader = false;
let channel: BroadcastChannel | undefined;
let source: EventSource | undefined;

function setState(next: LiveState): void {
  if (state === next) return;
  state = next;
  for (const tell of stateListeners) tell();
}

function take(told: Told): void {
  if (told.kind === 'state') setState(told.state);
  else if (told.kind === 'message') {
    if (told.id !== '') lastId = told.id;
    for (const tell of listeners) tell(told.message);
  } else if (isLeader) channel?.postMessage({ kind: 'state', state });
}

/** To the other tabs and to this one. */
function tellAll(told: Told): void {
  channel?.postMessage(told);
  take(told);
}

/**
 * The browser resumes a lost connection automatically with Last-Event-ID. A new leader, and a stream that ended, send
 * it here.
 */
function connect(): void {
  const query = lastId === '' ? '' : `?after=${encodeURIComponent(lastId)}`;
  source = new EventSource(`${STREAM_PATH}${query}`);
  source.onopen = () => tellAll({ kind: 'state', state: 'live' });
  source.onmessage = ({ data, lastEventId }: MessageEvent<string>) => {
    const message: LiveMessage = JSON.parse(data);
    tellAll({ kind: 'message', id: lastEventId, message });
  };
  source.onerror = () => {
    tellAll({ kind: 'state', state: 'lost' });
    if (source?.readyState !== EventSource.CLOSED) return;
    source = undefined;
    tellAll({ kind: 'message', id: '', message: SIGNED_OUT });
    setTimeout(connectAgain, RETRY_MS);
  };
}

/** Without a signed-in user no page listens, and no stream is opened. */
function connectAgain(): void {
  if (isLeader && source === undefined && listeners.size > 0) connect();
}

let isStarted = false;

function start(): void {
  if (isStarted) {
    connectAgain();
    return;
  }
  isStarted = true;
  channel = new BroadcastChannel(NAME);
  channel.onmessage = ({ data }: MessageEvent<Told>) => take(data);
  channel.postMessage({ kind: 'ask' });
  const lead = (): Promise<never> => {
    isLeader = true;
    connect();
    return new Promise<never>(() => undefined); // held until the tab closes
  };
  // Without a secure context there are no locks, and each tab has a stream of its own.
  if (navigator.locks === undefined) void lead();
  else void navigator.locks.request(NAME, lead);
}

/** Calls `tell` with every message of the stream while the component is shown. `tell` should be stable. */
export function useLive(tell: (message: LiveMessage) => void): void {
  useEffect(() => {
    listeners.add(tell);
    start();
    return () => void listeners.delete(tell);
  }, [tell]);
}

const subscribe = (tell: () => void): (() => void) => {
  start();
  stateListeners.add(tell);
  return () => stateListeners.delete(tell);
};

/** The state of the stream; `lost` while it reconnects. */
export const useLiveState = (): LiveState => useSyncExternalStore(subscribe, () => state);

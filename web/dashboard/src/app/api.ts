// The client of the dashboard's own API: typed from its description, every refusal thrown as an ApiFault.
import createClient from 'openapi-fetch';
import type { paths } from './api-types.d.ts';

interface FaultParts {
  readonly errorId: string;
  readonly description: string;
  readonly diagnosticsId: string;
  readonly status: number;
}

/** A refusal or fault, as the answer told it (contract §7). */
export class ApiFault extends Error {
  readonly errorId: string;
  /** A sentence for people. */
  readonly description: string;
  /** The id of the request in the service's log; '' where there was no answer. */
  readonly diagnosticsId: string;
  /** The HTTP status; 0 where there was no answer. */
  readonly status: number;

  constructor({ errorId, description, diagnosticsId, status }: FaultParts) {
    super(description);
    this.name = 'ApiFault';
    this.errorId = errorId;
    this.description = description;
    this.diagnosticsId = diagnosticsId;
    this.status = status;
  }
}

/** No cross-site form can send a header of its own: the API asks it of every change. */
const CSRF = { 'X-Csrf': '1' };

const UNREACHABLE: FaultParts = {
  errorId: 'Unreachable',
  description: 'The service does not answer. It may be restarting, or the connection is gone.',
  diagnosticsId: '',
  status: 0,
};

let onSignedOut: () => void = () => undefined;

/** Told of every 401: the session has ended, or was ended elsewhere. */
export function whenSignedOut(tell: () => void): void {
  onSignedOut = tell;
}

interface Told {
  readonly error?: { readonly errorId?: string; readonly description?: string; readonly diagnosticsId?: string };
}

async function faultOf(response: Response): Promise<ApiFault> {
  const told: Told = await response.json().catch(() => ({}));
  const { errorId = 'Unknown', description = `The service answered ${response.status}.`, diagnosticsId } = told.error ?? {};
  return new ApiFault({
    errorId,
    description,
    diagnosticsId: diagnosticsId ?? response.headers.get('X-Request-Id') ?? '',
    status: response.status,
  });
}

/** The page asks by itself: that is no use of the session. */
const BACKGROUND = 'X-Background';

/** `fetch` with our headers, on our origin; a refusal is thrown. */
async function fetchAnswer(request: Request): Promise<Response> {
  if (!takeAct()) request.headers.set(BACKGROUND, '1');
  const response = await fetch(request).catch((fault: unknown) => {
    if (request.signal.aborted) throw fault;
    throw new ApiFault(UNREACHABLE);
  });
  if (response.ok) return response;
  const fault = await faultOf(response);
  if (fault.status === 401) onSignedOut();
  throw fault;
}

/** `api.GET('/dashboard/api/…')`: `data` is the answer; refusals are thrown as ApiFault. See `answerOf`. */
export const api = createClient<paths>({ baseUrl: location.origin, headers: CSRF, fetch: fetchAnswer });

/** The answer itself: `answerOf(api.GET('/dashboard/api/keys'))`. */
export async function answerOf<Answer>(called: Promise<{ readonly data?: Answer }>): Promise<Answer> {
  const { data } = await called;
  if (data === undefined) throw new ApiFault({ ...UNREACHABLE, description: 'The service answered without content.' });
  return data;
}

/** What a query hands to its function: `signal` aborts when nobody wants the answer any more. */
export interface Asking {
  readonly signal: AbortSignal;
}

const ACTS = ['pointerdown', 'keydown', 'wheel', 'touchstart'] as const;

/** Somebody has opened the page. Pages ask by themselves as well, and that keeps no session alive. */
let hasActed = true;

for (const act of ACTS)
  addEventListener(
    act,
    () => {
      hasActed = true;
    },
    { capture: true, passive: true },
  );

/** Whether a person has done something in this tab since this was asked last. */
function takeAct(): boolean {
  const acted = hasActed;
  hasActed = false;
  return acted;
}

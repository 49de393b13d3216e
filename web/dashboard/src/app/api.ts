// The client of the dashboard's own API, typed from its description. Every refusal is thrown as an ApiFault.
import createClient from 'openapi-fetch';
import type { paths } from './api-types.d.ts';
import { hearBusinessTime } from './business-time.ts';

interface FaultParts {
  readonly errorId: string;
  readonly description: string;
  readonly diagnosticsId: string;
  readonly status: number;
}

/** A refusal or error, as the response reports it (contract §7). */
export class ApiFault extends Error {
  readonly errorId: string;
  /** A sentence for people. */
  readonly description: string;
  /** The id of the request in the service's log, or '' if there was no response. */
  readonly diagnosticsId: string;
  /** The HTTP status, or 0 if there was no response. */
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

/** No cross-site form can send a header of its own, so the API requires one on every change. */
const CSRF = { 'X-Csrf': '1' };

const UNREACHABLE: FaultParts = {
  errorId: 'Unreachable',
  description: 'The service does not respond. It may be restarting, or the connection is lost.',
  diagnosticsId: '',
  status: 0,
};

let onSignedOut: () => void = () => undefined;

/** Called on every 401: the session has ended here or elsewhere. */
export function whenSignedOut(tell: () => void): void {
  onSignedOut = tell;
}

interface Told {
  readonly error?: { readonly errorId?: string; readonly description?: string; readonly diagnosticsId?: string };
}

async function faultOf(response: Response): Promise<ApiFault> {
  const told: Told = await response.json().catch(() => ({}));
  const {
    errorId = 'Unknown',
    description = `The service responded with ${response.status}.`,
    diagnosticsId,
  } = told.error ?? {};
  return new ApiFault({
    errorId,
    description,
    diagnosticsId: diagnosticsId ?? response.headers.get('X-Request-Id') ?? '',
    status: response.status,
  });
}

/** Marks a request that the page makes on its own, so that it does not count as use of the session. */
const BACKGROUND = 'X-Background';

/** `fetch` with our headers, on our origin; a refusal is thrown. */
async function fetchAnswer(request: Request): Promise<Response> {
  if (!takeAct()) request.headers.set(BACKGROUND, '1');
  const response = await fetch(request).catch((fault: unknown) => {
    if (request.signal.aborted) throw fault;
    throw new ApiFault(UNREACHABLE);
  });
  hearBusinessTime(response);
  if (response.ok) return response;
  const fault = await faultOf(response);
  if (fault.status === 401) onSignedOut();
  throw fault;
}

/** `api.GET('/dashboard/api/…')`: `data` is the answer; refusals are thrown as ApiFault. See `answerOf`. */
export const api = createClient<paths>({ baseUrl: location.origin, headers: CSRF, fetch: fetchAnswer });

/** The body of the response: `answerOf(api.GET('/dashboard/api/keys'))`. */
export async function answerOf<Answer>(called: Promise<{ readonly data?: Answer }>): Promise<Answer> {
  const { data } = await called;
  if (data === undefined) throw new ApiFault({ ...UNREACHABLE, description: 'The service responded without content.' });
  return data;
}

/** The argument that a query passes to its function. `signal` aborts when the response is no longer wanted. */
export interface Asking {
  readonly signal: AbortSignal;
}

const ACTS = ['pointerdown', 'keydown', 'wheel', 'touchstart'] as const;

/**
 * True at first, because a user has opened the page. Pages also send requests automatically, and those keep no session
 * alive.
 */
let hasActed = true;

for (const act of ACTS)
  addEventListener(
    act,
    () => {
      hasActed = true;
    },
    { capture: true, passive: true },
  );

/** True if the user has been active in this tab since the last call. */
function takeAct(): boolean {
  const acted = hasActed;
  hasActed = false;
  return acted;
}

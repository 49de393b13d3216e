// Asks the public URL whether a Counterfoil answers there, as a browser on this machine would.
import { parseTime, type World, within } from '../../world.ts';

export type UrlAnswer =
  /** `date`: the time of the clock there, ms; undefined if the answer has none. */
  | { readonly kind: 'counterfoil'; readonly date: number | undefined }
  | { readonly kind: 'moved'; readonly to: string }
  | { readonly kind: 'other'; readonly what: string }
  /** Its certificate was refused. */
  | { readonly kind: 'untrusted'; readonly why: string }
  | { readonly kind: 'unreachable'; readonly why: string };

const ANSWERS_WITHIN_MS = 3_000;
const TRY_AGAIN_MS = 1_000;
/** The part of a response that is read: ours is short. */
const MOST_CHARACTERS = 1_000;

/**
 * `patienceMs`: while nothing answers, it is asked again for so long; a proxy may send nothing to a node that has just
 * started. Rejects with the signal's reason when it aborts.
 */
export async function askPublicUrl(
  world: World,
  url: string,
  patienceMs: number,
  signal: AbortSignal,
): Promise<UrlAnswer> {
  const until = world.monotonic() + patienceMs;
  for (;;) {
    const answer = await askOnce(world, url, signal);
    if (answer.kind === 'counterfoil' || world.monotonic() >= until) return answer;
    await world.sleep(TRY_AGAIN_MS, signal);
  }
}

async function askOnce(world: World, url: string, signal: AbortSignal): Promise<UrlAnswer> {
  const asked = within(world, ANSWERS_WITHIN_MS, async (expired): Promise<UrlAnswer> => {
    const response = await world.fetch(`${url}/health/live`, {
      redirect: 'manual',
      signal: AbortSignal.any([signal, expired]),
    });
    const location = response.headers.get('location');
    const text = (await response.text()).slice(0, MOST_CHARACTERS);
    if (response.status >= 300 && response.status < 400 && location !== null) {
      return { kind: 'moved', to: new URL(location, url).href.replace(/\/health\/live$/, '') };
    }
    if (!isOurs(text)) return { kind: 'other', what: `GET /health/live is ${response.status}` };
    return { kind: 'counterfoil', date: timeOf(response.headers.get('date') ?? '') };
  });
  const answer = await asked.catch((fault: unknown) => failed(fault));
  return answer === 'timeout'
    ? { kind: 'unreachable', why: `no response within ${ANSWERS_WITHIN_MS / 1_000} s` }
    : answer;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** The time of `Tue, 24 Nov 2026 06:45:45 GMT`, as HTTP writes it, in ms; undefined if the text is another one. */
function timeOf(header: string): number | undefined {
  const [, day = '', month = '', year = '', time = ''] =
    /^\w{3}, (\d\d) (\w{3}) (\d{4}) ([\d:]{8}) GMT$/.exec(header) ?? [];
  return parseTime(`${year}-${String(MONTHS.indexOf(month) + 1).padStart(2, '0')}-${day}T${time}Z`);
}

function isOurs(text: string): boolean {
  try {
    return JSON.parse(text)?.status === 'live';
  } catch {
    return false;
  }
}

/** As OpenSSL and Node name what is wrong with a certificate. */
const OF_CERTIFICATES = /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS/;

function failed(fault: unknown): UrlAnswer {
  const cause = fault instanceof Error && fault.cause instanceof Error ? fault.cause : fault;
  const why = cause instanceof Error ? cause.message.replaceAll(/\s+/g, ' ').replace(/\.$/, '') : String(cause);
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  return { kind: OF_CERTIFICATES.test(code) ? 'untrusted' : 'unreachable', why: why === '' ? code : why };
}

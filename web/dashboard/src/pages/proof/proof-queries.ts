// The calls of the page Proof: the checkpoints, and responses that grow line by line while the log is read.
import { infiniteQueryOptions } from '@tanstack/react-query';
import type { ProofLine } from '../../../../../src/http/routes/administration/proof.ts';
import { ApiFault, answerOf, api } from '../../app/api.ts';
import type { components } from '../../app/api-types.d.ts';
import { KEYS } from '../../app/query-keys.ts';

export type Checkpoints = components['schemas']['DashboardCheckpoints'];
export type Checkpoint = Checkpoints['data'][number];
export type Progress = Extract<ProofLine, { kind: 'progress' }>;
export type Compared = Extract<ProofLine, { kind: 'compared' }>;

const PAGE = 20;
/** A new one comes each hour. */
const AGAIN_MS = 60_000;

export const checkpointsQuery = infiniteQueryOptions({
  queryKey: [KEYS.checkpoints],
  initialPageParam: '',
  queryFn: ({ pageParam, signal }) => {
    const query = { limit: PAGE, ...(pageParam !== '' && { cursor: pageParam }) };
    return answerOf(api.GET('/dashboard/api/checkpoints', { params: { query }, signal }));
  },
  getNextPageParam: ({ nextCursor }) => nextCursor,
  refetchInterval: AGAIN_MS,
});

type OnProgress = (progress: Progress) => void;

/** Rejects with an ApiFault for a refusal, and with the signal's reason. */
export async function compareLog(onProgress: OnProgress, signal: AbortSignal): Promise<Compared> {
  const { data } = await api.GET('/dashboard/api/checkpoints/comparison', { parseAs: 'stream', signal });
  const line = await lastLine(data, onProgress);
  return line.kind === 'compared' ? line : unfinished();
}

/** Saves the proof of a payment or an agreement as a file. Rejects as `compareLog` does. */
export async function saveProof(id: string, onProgress: OnProgress, signal: AbortSignal): Promise<void> {
  const params = { path: { id } };
  const { data } = id.startsWith('agr_')
    ? await api.GET('/dashboard/api/agreements/{id}/proof', { params, parseAs: 'stream', signal })
    : await api.GET('/dashboard/api/payments/{id}/proof', { params, parseAs: 'stream', signal });
  const line = await lastLine(data, onProgress);
  if (line.kind !== 'proof') return unfinished();
  save(`proof-${id}.json`, line.proof);
}

export const saveCheckpoint = (checkpoint: Checkpoint): void =>
  save(`checkpoint-${checkpoint.treeSize}.json`, checkpoint);

const refused = (errorId: string, description: string): ApiFault =>
  new ApiFault({ errorId, description, diagnosticsId: '', status: 0 });

function unfinished(): never {
  throw refused('Unfinished', 'The response ended before its result. Try again.');
}

async function lastLine(body: ReadableStream<Uint8Array> | null | undefined, onProgress: OnProgress) {
  let rest = '';
  for await (const text of textsOf(body)) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const told: ProofLine = JSON.parse(line);
      if (told.kind === 'refused') throw refused('TooManyRequests', told.description);
      if (told.kind !== 'progress') return told;
      onProgress(told);
    }
  }
  return unfinished();
}

/** A reader, because not every browser iterates a stream. */
async function* textsOf(body: ReadableStream<Uint8Array> | null | undefined): AsyncGenerator<string> {
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  for (let read = await reader?.read(); read !== undefined && !read.done; read = await reader?.read())
    yield decoder.decode(read.value, { stream: true });
}

function save(name: string, value: object): void {
  const url = URL.createObjectURL(new Blob([`${JSON.stringify(value, null, 2)}\n`], { type: 'application/json' }));
  const link = Object.assign(document.createElement('a'), { href: url, download: name });
  link.click();
  URL.revokeObjectURL(url);
}

// Proof: the checkpoints of the log, which others may keep (contract §11), the log compared with them, and the proof
// of a payment or an agreement.
import { z } from 'zod';
import type { ComparedLog, OnProgress } from '../../../audit/audit.ts';
import { NotAdmitted, type TurnLimits, Turns } from '../../../commands/limits/admission.ts';
import type { Checkpoint, Proven, SubjectProof } from '../../../verify/format.ts';
import type { World } from '../../../world.ts';
import { CheckpointListAnswer } from '../../answers/messages.ts';
import { listed, Paging } from '../../list.ts';
import { found, type Route, route, type Streamed, streamRoute } from '../../route.ts';
import { agreementParams } from '../agreements.ts';
import type { RouteParts } from '../parts.ts';
import { paymentParams } from '../payment-filter.ts';
import { MAY } from './ways.ts';

type Covered = Pick<Checkpoint, 'treeSize' | 'madeAt'>;

/** A line of a response that grows while the log is read; the last one is not `progress`. */
export type ProofLine =
  | { readonly kind: 'progress'; readonly events: number; readonly share: number }
  | {
      readonly kind: 'compared';
      readonly events: number;
      readonly held: number;
      readonly failed: number;
      readonly newest: Covered | undefined;
      readonly firstFailed: (Covered & { readonly fault: string }) | undefined;
    }
  | { readonly kind: 'proof'; readonly proof: SubjectProof }
  | { readonly kind: 'refused'; readonly description: string };

const Checkpoints = CheckpointListAnswer.extend({
  /** The public keys of the service; the first signs. */
  publicKeys: z.array(z.string()).readonly(),
  /** How often the service records a checkpoint, ms; absent: never. */
  everyMs: z.int().optional(),
}).meta({ id: 'DashboardCheckpoints' });

/** Where a page of checkpoints ends. */
const CheckpointPlace = z.strictObject({ position: z.int().min(0) });

/** A page of the checkpoints, newest first; `list` names the list to which its cursors belong. */
const checkpointPage = (
  { listCheckpoints }: Pick<RouteParts['queries'], 'listCheckpoints'>,
  list: string,
  accountId: string,
  query: z.output<typeof Paging>,
) =>
  listed(query, {
    list,
    accountId,
    filters: {},
    place: CheckpointPlace,
    async read(size, after) {
      const { rows, next } = await listCheckpoints(size, after?.position);
      return { rows, next: next === undefined ? undefined : { position: next } };
    },
    itemsOf: (rows) => rows.map(({ doc }) => doc.receipt),
    placeOf: ({ doc: { position } }) => ({ position }),
  });

/** For API keys. */
export const checkpointRoutes = ({ queries }: RouteParts): readonly Route[] => [
  route({
    tag: 'Audit',
    method: 'GET',
    path: '/audit/checkpoints',
    scope: 'transactions:retrieve',
    id: 'listCheckpoints',
    example: { query: { limit: '1' } },
    summary: 'List the signed checkpoints of the event log, newest first',
    request: z.object({ query: Paging }),
    answer: CheckpointListAnswer,
    errors: ['InvalidCursor'],
    handle: ({ query }, { caller: { accountId } }) => checkpointPage(queries, 'checkpoints', accountId, query),
  }),
];

const common = { tag: 'Proof', method: 'GET', scope: MAY.proof.read } as const;
const LINES = 'application/x-ndjson; charset=utf-8';

interface ProofParts extends Pick<RouteParts, 'audit'> {
  readonly queries: Pick<RouteParts['queries'], 'listCheckpoints' | 'readPayment' | 'readAgreement'>;
  readonly world: Pick<World, 'sleep'>;
}

/** One walk over the log at a time in a process; the accounts that wait take turns. */
const WALKS: TurnLimits = { atOnce: 1, strangersAtOnce: 1, repeatedAtOnce: 1, waiting: 8, fromNow: true };

export function proofRoutes({ queries, audit, world }: ProofParts): readonly Route[] {
  const turns = new Turns(WALKS);
  const inTurn = (accountId: string, work: ProofWalk): Streamed =>
    lines(world, (onProgress, signal) =>
      turns
        .run({ lane: 'stranger', network: accountId, signal }, () => work(onProgress, signal))
        .catch((fault: unknown) => {
          if (fault instanceof NotAdmitted) return BUSY;
          throw fault;
        }),
    );
  const prove =
    (wanted: Proven): ProofWalk =>
    async (onProgress, signal) => {
      const proof = await audit.prove(wanted, onProgress, signal);
      return proof === undefined ? NOT_THERE : { kind: 'proof', proof };
    };
  return [
    route({
      ...common,
      path: '/dashboard/api/checkpoints',
      summary: 'List the signed checkpoints of the event log, newest first, and the keys that sign them',
      request: z.object({ query: Paging }),
      answer: Checkpoints,
      errors: ['InvalidCursor'],
      async handle({ query }, { caller: { accountId } }) {
        const read = await checkpointPage(queries, 'dashboard-checkpoints', accountId, query);
        if (read.kind === 'rejected') return read;
        return found({ ...read.body, publicKeys: await audit.publicKeys(), everyMs: audit.checkpointEveryMs });
      },
    }),
    streamRoute({
      ...common,
      path: '/dashboard/api/checkpoints/comparison',
      summary: 'Compare the whole log with its checkpoints: lines of JSON with the progress, then the result',
      request: z.object({}),
      contentType: LINES,
      handle: (_request, { caller: { accountId } }) =>
        inTurn(accountId, async (onProgress, signal) => comparedLine(await audit.compare(onProgress, signal))),
    }),
    streamRoute({
      ...common,
      path: '/dashboard/api/payments/:id/proof',
      summary: 'Prove a payment: lines of JSON with the progress, then the file for counterfoil-verify',
      request: z.object({ params: paymentParams }),
      contentType: LINES,
      async handle({ params: { id } }, { caller: { accountId } }) {
        const payment = await queries.readPayment(id, accountId);
        return 'kind' in payment ? payment : inTurn(accountId, prove({ paymentId: id }));
      },
    }),
    streamRoute({
      ...common,
      path: '/dashboard/api/agreements/:id/proof',
      summary: 'Prove an agreement and its payments: lines of JSON, then the file for counterfoil-verify',
      request: z.object({ params: agreementParams }),
      contentType: LINES,
      async handle({ params: { id } }, { caller: { accountId } }) {
        const agreement = await queries.readAgreement(id, accountId);
        return 'kind' in agreement ? agreement : inTurn(accountId, prove({ agreementId: id }));
      },
    }),
  ];
}

type ProofWalk = (onProgress: OnProgress, signal: AbortSignal) => Promise<ProofLine>;

const BUSY: ProofLine = {
  kind: 'refused',
  description: 'The log is being read for others. Try again in a minute.',
};

const NOT_THERE: ProofLine = { kind: 'refused', description: 'The log does not have it.' };

const coveredBy = ({ treeSize, madeAt }: Checkpoint): Covered => ({ treeSize, madeAt });

const comparedLine = ({ events, held, failed, newest, firstFailed }: ComparedLog): ProofLine => ({
  kind: 'compared',
  events,
  held,
  failed,
  newest: newest && coveredBy(newest),
  firstFailed: firstFailed && { ...coveredBy(firstFailed.checkpoint), fault: firstFailed.fault },
});

/** Between two lines of progress. */
const LINE_MS = 250;

function lines(world: Pick<World, 'sleep'>, work: ProofWalk): Streamed {
  return { kind: 'streamed', pieces: told(world, work), headers: ['Content-Type', LINES, 'Cache-Control', 'no-store'] };
}

/** Ends the work when the client hangs up. */
async function* told(world: Pick<World, 'sleep'>, work: ProofWalk): AsyncGenerator<string, void, undefined> {
  const over = new AbortController();
  let progress: ProofLine = { kind: 'progress', events: 0, share: 0 };
  const onProgress: OnProgress = (events, share) => {
    progress = { kind: 'progress', events, share };
  };
  const done = work(onProgress, over.signal).then(
    (line) => ({ line }),
    (thrown: unknown) => ({ thrown }),
  );
  try {
    for (;;) {
      const ended = await Promise.race([done, world.sleep(LINE_MS, over.signal).then(() => undefined)]);
      if (ended === undefined) yield textOf(progress);
      else if ('thrown' in ended) throw ended.thrown;
      else return yield textOf(ended.line);
    }
  } finally {
    over.abort();
    await done;
  }
}

const textOf = (line: ProofLine): string => `${JSON.stringify(line)}\n`;

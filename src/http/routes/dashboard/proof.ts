// The dashboard's page Proof: the checkpoints of the log, the log compared with them, and the proof of a payment.
import { z } from 'zod';
import type { Audit, ComparedLog, OnProgress } from '../../../audit/audit.ts';
import { NotAdmitted, type TurnLimits, Turns } from '../../../commands/limits/admission.ts';
import type { Queries } from '../../../queries/queries.ts';
import type { Checkpoint, PaymentProof } from '../../../verify/format.ts';
import type { World } from '../../../world.ts';
import { page } from '../../answer-size.ts';
import { CheckpointListAnswer } from '../../answers/messages.ts';
import { forRoles, type Route, route, type Streamed, streamRoute } from '../../route.ts';
import { CheckpointPageQuery, checkpointPage } from '../audit.ts';

export interface ProofRouteNeeds extends Pick<Queries, 'listCheckpoints' | 'readPayment'> {
  readonly audit: Audit;
  readonly world: Pick<World, 'sleep'>;
}

type Covered = Pick<Checkpoint, 'treeSize' | 'madeAt'>;

/** A line of a response that grows while the log is read; the last one is not `progress`. */
export type ProofLine =
  | { readonly kind: 'progress'; readonly events: number; readonly share: number }
  | {
      readonly kind: 'compared';
      readonly events: number;
      readonly held: number;
      readonly failed: number;
      readonly newest: Covered | null;
      readonly firstFailed: (Covered & { readonly fault: string }) | null;
    }
  | { readonly kind: 'proof'; readonly proof: PaymentProof }
  | { readonly kind: 'refused'; readonly description: string };

const Checkpoints = CheckpointListAnswer.extend({
  /** The public keys of the service; the first signs. */
  publicKeys: z.array(z.string()).readonly(),
  /** How often the service records a checkpoint, ms; null: never. */
  everyMs: z.int().nullable(),
}).meta({ id: 'DashboardCheckpoints' });

const common = { tag: 'Proof', method: 'GET', scope: forRoles('owner', 'developer', 'auditor') } as const;
const params = z.object({ id: z.string().regex(/^pay_[0-9A-Za-z]{1,64}$/) });
const LINES = 'application/x-ndjson; charset=utf-8';

/** One walk over the log at a time in a process; the accounts that wait take turns. */
const WALKS: TurnLimits = { atOnce: 1, strangersAtOnce: 1, repeatedAtOnce: 1, waiting: 8, fromNow: true };

export function proofRoutes({ listCheckpoints, readPayment, audit, world }: ProofRouteNeeds): readonly Route[] {
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
  return [
    route({
      ...common,
      path: '/dashboard/api/checkpoints',
      summary: 'List the signed checkpoints of the event log, newest first, and the keys that sign them',
      request: z.object({ query: CheckpointPageQuery }),
      answer: Checkpoints,
      errors: ['InvalidCursor'],
      async handle({ query }, { caller: { accountId } }) {
        const read = await checkpointPage(listCheckpoints, 'dashboard-checkpoints', accountId, query);
        if ('kind' in read) return read;
        const keys = { publicKeys: await audit.publicKeys(), everyMs: audit.checkpointEveryMs ?? null };
        return page(
          read.rows,
          ({ doc }) => doc.receipt,
          (shown) => ({ ...keys, ...read.after(shown) }),
        );
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
      request: z.object({ params }),
      contentType: LINES,
      async handle({ params: { id } }, { caller: { accountId } }) {
        const payment = await readPayment(id, accountId);
        if ('kind' in payment) return payment;
        return inTurn(accountId, async (onProgress, signal) => {
          const proof = await audit.prove(id, onProgress, signal);
          return proof === undefined
            ? { kind: 'refused', description: 'The log does not have the payment.' }
            : { kind: 'proof', proof };
        });
      },
    }),
  ];
}

type ProofWalk = (onProgress: OnProgress, signal: AbortSignal) => Promise<ProofLine>;

const BUSY: ProofLine = {
  kind: 'refused',
  description: 'The log is being read for others. Try again in a minute.',
};

const coveredBy = ({ treeSize, madeAt }: Checkpoint): Covered => ({ treeSize, madeAt });

const comparedLine = ({ events, held, failed, newest, firstFailed }: ComparedLog): ProofLine => ({
  kind: 'compared',
  events,
  held,
  failed,
  newest: newest === undefined ? null : coveredBy(newest),
  firstFailed: firstFailed === undefined ? null : { ...coveredBy(firstFailed.checkpoint), fault: firstFailed.fault },
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

// GET /audit/checkpoints: the signed checkpoints of the log, for those who keep them (contract §11).
import { z } from 'zod';
import type { Queries } from '../../queries/queries.ts';
import { page } from '../answer-size.ts';
import { CheckpointListAnswer } from '../answers/messages.ts';
import { bindingOf, CursorText, readCursor, writeCursor } from '../cursor.ts';
import { type Route, route } from '../route.ts';
import { PageSize, pageSize } from './payment-filter.ts';

/** Where a page of checkpoints ends. */
const CheckpointPlace = z.strictObject({ position: z.int().min(0) });
export const CheckpointPageQuery = z.strictObject({ limit: PageSize, cursor: CursorText.optional() });

/** A page of the checkpoints, newest first; `of` names the list to which its cursors belong. */
export async function checkpointPage(
  listCheckpoints: Queries['listCheckpoints'],
  of: string,
  accountId: string,
  { limit, cursor }: z.output<typeof CheckpointPageQuery>,
) {
  const binding = bindingOf(of, accountId, {});
  const before = cursor === undefined ? undefined : readCursor(cursor, binding, CheckpointPlace);
  if (before !== undefined && 'kind' in before) return before;
  const { rows, next } = await listCheckpoints(pageSize(limit), before?.place.position);
  return {
    rows,
    /** The members of a page of which so many rows are shown. */
    after: (shown: number): { readonly nextCursor?: string } => {
      const position = shown < rows.length ? rows[shown - 1]?.doc.position : next;
      return position === undefined ? {} : { nextCursor: writeCursor(binding, { position }) };
    },
  };
}

export const auditRoutes = ({ listCheckpoints }: Pick<Queries, 'listCheckpoints'>): readonly Route[] => [
  route({
    tag: 'Audit',
    method: 'GET',
    path: '/audit/checkpoints',
    scope: 'transactions:retrieve',
    id: 'listCheckpoints',
    example: { query: { limit: '1' } },
    summary: 'List the signed checkpoints of the event log, newest first',
    request: z.object({ query: CheckpointPageQuery }),
    answer: CheckpointListAnswer,
    errors: ['InvalidCursor'],
    async handle({ query }, { caller: { accountId } }) {
      const read = await checkpointPage(listCheckpoints, 'checkpoints', accountId, query);
      return 'kind' in read ? read : page(read.rows, ({ doc }) => doc.receipt, read.after);
    },
  }),
];

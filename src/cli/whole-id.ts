// The id that its beginning names, as tables on a narrow terminal show it and as people type it.
import { accounts } from '../projections/models/accounts.ts';
import { apiKeys } from '../projections/models/api-keys.ts';
import { connections } from '../projections/models/connections.ts';
import { notifications } from '../projections/models/notifications.ts';
import { payments } from '../projections/models/payments.ts';
import { users } from '../projections/models/users.ts';
import { webhookEndpoints } from '../projections/models/webhook-endpoints.ts';
import type { Collection, ReadModels, Stored } from '../stores/read-models.ts';
import { WrongUsage } from './exit.ts';

/** The beginning of an id: at least four digits, so that a slip rarely names a thing. */
const BEGINNING = /^[a-z]+_[0-9a-f]{4,31}$/;
const CANDIDATES = 5;

type Found = readonly Pick<Stored<object>, 'id'>[];
type FindsAfter = (readModels: Pick<ReadModels, 'find'>, id: string) => Promise<Found>;

const idsAfter =
  <Doc extends object, K extends string>(of: Collection<Doc, K>): FindsAfter =>
  (readModels, id) =>
    readModels.find(of, { where: {}, after: { key: '', id }, limit: CANDIDATES + 1 });

const KINDS: ReadonlyMap<string, FindsAfter> = new Map([
  ['acc', idsAfter(accounts)],
  ['con', idsAfter(connections)],
  ['key', idsAfter(apiKeys)],
  ['pay', idsAfter(payments)],
  ['usr', idsAfter(users)],
  ['we', idsAfter(webhookEndpoints)],
]);

/**
 * The whole id; of several that are joined by dots, each. A text that begins no id is returned as it is: the command
 * says what does not exist. Throws WrongUsage, with the candidates, where several ids begin with it.
 */
export async function wholeId(readModels: Pick<ReadModels, 'find'>, text: string): Promise<string> {
  const parts = text.split('.').map((part) => (BEGINNING.test(part) ? wholePart(readModels, part) : part));
  return (await Promise.all(parts)).join('.');
}

async function wholePart(readModels: Pick<ReadModels, 'find'>, text: string): Promise<string> {
  const after = KINDS.get(text.slice(0, text.indexOf('_')));
  return onlyBeginning(text, (await after?.(readModels, text)) ?? []);
}

const onlyBeginning = (text: string, found: Found): string =>
  onlyOne(
    text,
    found.map(({ id }) => id).filter((id) => id.startsWith(text)),
  );

/** The same for the id of a notification, which has no kind in front. */
export const wholeNotificationId = async (readModels: Pick<ReadModels, 'find'>, text: string): Promise<string> =>
  /^[0-9a-f]{4,31}$/.test(text) ? onlyBeginning(text, await idsAfter(notifications)(readModels, text)) : text;

/** The only id that begins with the text; the text if there is none. Throws WrongUsage if there are several. */
export function onlyOne(text: string, ids: readonly string[]): string {
  const [only = text, another] = ids;
  if (another === undefined) return only;
  const shown = ids.slice(0, CANDIDATES).map((id) => `  ${id}`);
  const more = ids.length > CANDIDATES ? '\n  and others' : '';
  throw new WrongUsage(`Several ids begin with ${text}:\n${shown.join('\n')}${more}`);
}

// What the words of a command line name: an id by its beginning, and the account that a command is about.
import type { ConnectionRow } from '../commands/connections/connections.ts';
import { accounts } from '../projections/models/accounts.ts';
import { agreements } from '../projections/models/agreements.ts';
import { apiKeys } from '../projections/models/api-keys.ts';
import { connections } from '../projections/models/connections.ts';
import { notifications } from '../projections/models/notifications.ts';
import { payments } from '../projections/models/payments.ts';
import { users } from '../projections/models/users.ts';
import { webhookEndpoints } from '../projections/models/webhook-endpoints.ts';
import type { Collection, ReadModels, Stored } from '../stores/read-models.ts';
import { CANDIDATES, onlyOne } from './audit/stream-name.ts';
import { Refused, WrongUsage } from './exit.ts';
import type { Opened } from './open/open.ts';

/** The beginning of an id: at least four digits, so that a slip rarely names a thing. */
const BEGINNING = /^[a-z]+_[0-9a-f]{4,31}$/;

type Found = readonly Pick<Stored<object>, 'id'>[];
type FindsAfter = (readModels: Pick<ReadModels, 'find'>, id: string) => Promise<Found>;

const idsAfter =
  <Doc extends object, K extends string>(of: Collection<Doc, K>): FindsAfter =>
  (readModels, id) =>
    readModels.find(of, { where: {}, after: { key: '', id }, limit: CANDIDATES + 1 });

const KINDS: ReadonlyMap<string, FindsAfter> = new Map([
  ['acc', idsAfter(accounts)],
  ['agr', idsAfter(agreements)],
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

/** The account's whole id. Throws Refused for an account that does not exist. */
export async function mustBeAccount(
  { readModels }: Pick<Opened['service'], 'readModels'>,
  named: string,
): Promise<string> {
  const account = await wholeId(readModels, named);
  const [found] = await readModels.get(accounts, [account]);
  if (found === undefined) throw new Refused(`There is no account ${account}.`, 'NotFound');
  return account;
}

/**
 * Throws Refused for an account that does not exist, WrongUsage when none is named and the number of accounts is not
 * one.
 */
export async function whichAccount(
  { service }: Opened,
  { account }: { readonly account?: string | undefined },
): Promise<string> {
  if (account !== undefined) return mustBeAccount(service, account);
  const [only, another] = await service.readModels.find(accounts, { where: {}, limit: 2 });
  if (only === undefined)
    throw new WrongUsage('There is no account yet. Create one with `counterfoil accounts create --name N`.');
  if (another !== undefined)
    throw new WrongUsage('There are several accounts. Name one with --account (`counterfoil accounts list`).');
  return only.id;
}

/** By its id, the beginning of it, or the name of an active connection of only one account. Throws Refused. */
export async function mustFindConnection(
  { service: { connections: all, readModels } }: Pick<Opened, 'service'>,
  named: string,
): Promise<ConnectionRow> {
  const found = await all.known.read(await wholeId(readModels, named));
  if (found !== undefined) return found;
  const [first, ...others] = (await all.list({ isActive: true })).filter(({ doc }) => doc.name === named);
  if (first === undefined)
    throw new Refused(`There is no connection ${named}. Name an active one, or any by its id.`, 'NotFound');
  if (others.length > 0) throw new Refused(`Several accounts have a connection named ${named}. Name it by its id.`);
  return first;
}

/** The book of a further sandbox. */
interface Book {
  /** What the sandbox names it by: the connection's id. */
  readonly book: string;
  readonly connectionId: string;
  readonly accountId: string;
}

/** Throws Refused for a connection that does not exist, or goes to another processor. */
export async function bookOfConnection(opened: Opened, named: string): Promise<Book> {
  const { id, doc } = await mustFindConnection(opened, named);
  if (doc.processor !== opened.sandbox?.name) throw new Refused(`The connection ${named} is not one to a sandbox.`);
  return { book: id, connectionId: id, accountId: doc.accountId };
}

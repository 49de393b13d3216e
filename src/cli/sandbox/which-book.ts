// The book of the sandbox that a command is about: that of an account, or that of a connection to a further sandbox.
import { mustFindConnection } from '../connections/connections.ts';
import { Refused } from '../exit.ts';
import type { Opened } from '../open/open.ts';

export interface BookOption {
  readonly connection?: string;
}
export const BOOK_FLAG = [
  '--connection <name>',
  'a further sandbox of an account, by its name or id; without it the first one',
] as const;

export interface Book {
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

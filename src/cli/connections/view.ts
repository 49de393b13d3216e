// A connection for the command line: its references, and never what they name.
import type { ConnectionRow } from '../../commands/connections/connections.ts';
import { connectionMembers } from '../../http/answers/connection.ts';

/** `at`: ms, when references must count. */
export const connectionView = (row: ConnectionRow, at: number) => ({
  ...connectionMembers(row, at),
  accountId: row.doc.accountId,
});

// Faults against what people asked for: clients, the pages of the dashboard, webhooks, connections, the terminal.
import { faultsOf } from './fault.ts';

export const PEOPLE = faultsOf('People', [
  {
    name: 'the client sends a key that is undefined',
    file: 'client/src/counterfoil.ts',
    find: "if (typeof given === 'string' && given !== '') return given;",
    replace: "if (given !== '') return String(given);",
  },
  {
    name: 'an older event among newer ones ends the search for events since a time',
    file: 'src/queries/events.ts',
    find: 'page.every((stored) => (recordedAtOf(stored) ?? 0) < from)',
    replace: 'page.some((stored) => (recordedAtOf(stored) ?? 0) < from)',
  },
  {
    name: 'events until a time have later ones',
    file: 'src/queries/events.ts',
    find: ' && (to === undefined || at <= to);',
    replace: ';',
  },
  {
    name: 'payments since a time have earlier ones',
    file: 'src/http/routes/payment-filter.ts',
    find: '    ...(from_date !== undefined && { fromDate: from_date }),\n',
    replace: '',
  },
  {
    name: 'earlier calls of a message count as calls of the last hour',
    file: 'src/queries/webhook-endpoints.ts',
    find: '      .filter((attempt) => attempt.at >= hourAgo);\n',
    replace: ';\n',
  },
  {
    name: 'a call that was refused counts as taken',
    file: 'src/queries/webhook-endpoints.ts',
    find: 'const taken = calls.filter(({ status }) => isSuccess(status));',
    replace: 'const taken = calls.filter(({ status }) => status !== undefined);',
  },
  {
    name: 'an endpoint that takes a part of its messages is healthy',
    file: 'src/queries/webhook-endpoints.ts',
    find: "return taken === 0 ? 'failing' : 'failing_in_part';",
    replace: "return taken === 0 ? 'failing' : 'healthy';",
  },
  {
    name: 'a resend of all ends after its first endpoint',
    file: 'src/queries/untaken-messages.ts',
    find: 'page.next === undefined ? placeAt(ids.indexOf(endpointId) + 1) :',
    replace: 'page.next === undefined ? placeAt(-1) :',
  },
  {
    name: 'a message that was called in the moment of the count is resent by a second press',
    file: 'src/domain/webhook-queue/decide.ts',
    find: '(message.attempts.at(-1)?.at ?? asOf) < asOf;',
    replace: '(message.attempts.at(-1)?.at ?? asOf) <= asOf;',
  },
  {
    name: 'a batch of a resend looks through all endpoints',
    file: 'src/queries/untaken-messages.ts',
    find: 'place !== undefined && pages < MOST_PAGES;',
    replace: 'place !== undefined;',
  },
  {
    name: 'each of many endpoints is counted to the end',
    file: 'src/queries/untaken-messages.ts',
    find: 'Math.max(LEAST_COUNTED, Math.floor(COUNTED / Math.max(1, endpoints.length)));',
    replace: 'Math.max(LEAST_COUNTED, COUNTED);',
  },
  {
    name: 'customers see the name of an account that nobody has named',
    file: 'src/domain/account.ts',
    find: 'name === UNNAMED ? undefined : name;',
    replace: "name === '' ? undefined : name;",
  },
  {
    name: 'the page of a payment link does not name the shop',
    file: 'src/http/answers/payment-link.ts',
    find: '    shopName: shown.shopName,\n',
    replace: '',
  },
  {
    name: 'the name that the first owner gives is not kept',
    file: 'src/commands/users/welcome.ts',
    find: 'if (request.shopName !== undefined) {',
    replace: "if (request.shopName === '') {",
  },
  {
    name: 'users of any account find out which variables and files the machine has',
    file: 'src/http/routes/administration/ways.ts',
    find: 'look: aboutStore(DEVELOPERS),',
    replace: 'look: DEVELOPERS,',
  },
  {
    name: 'every reference can be used',
    file: 'src/commands/connections/manage-connections.ts',
    find: 'return !(await known.problemsOf({ id:',
    replace: 'return isReference(reference) || !(await known.problemsOf({ id:',
  },
  {
    name: 'a secret that is typed in place of a reference is repeated',
    file: 'src/commands/connections/manage-connections.ts',
    find: "return invalid('$.reference', NOT_A_REFERENCE);",
    replace: "return invalid('$.reference', `${reference}: ${NOT_A_REFERENCE}`);",
  },
  {
    name: 'GET /connections leaves out what is disabled',
    file: 'src/http/routes/connections.ts',
    find: '...rows.map(ofRow)]',
    replace: "...rows.filter(({ doc }) => doc.status === 'active').map(ofRow)]",
  },
  {
    name: 'GET /connections shows where the secrets are',
    file: 'src/http/routes/connections.ts',
    find: `doc: { processor, name, status } }: ConnectionRow) => ({
    connection: connectionOf({ connectionId: id, processor }),
    name,
`,
    replace: `doc: { processor, name, status, secrets } }: ConnectionRow) => ({
    connection: connectionOf({ connectionId: id, processor }),
    name: [name, ...Object.values(secrets)].join(' '),
`,
  },
  {
    name: 'a refused command with --json prints no document',
    file: 'src/cli/exit.ts',
    find: 'documentsBegun() === before)',
    replace: 'documentsBegun() !== before)',
  },
  {
    name: 'a refusal of the service with --json has no error id',
    file: 'src/cli/exit.ts',
    find: '  if (fault instanceof Refused) return fault.errorId;\n',
    replace: '',
  },
  {
    name: 'payments list --unknown does not name the command that is owed',
    file: 'src/cli/admin/payments-list.ts',
    find: 'isOwed ? `${toDo} ${closing(line.id, name, all.length > 1)}` : toDo,',
    replace: 'toDo,',
  },
  {
    name: 'payments list --unknown names no attempt where there are several',
    file: 'src/cli/admin/payments-list.ts',
    find: 'closing(line.id, name, all.length > 1)',
    replace: 'closing(line.id, name, all.length < 1)',
  },
]);

// The work of counterfoil connections: references to secrets, what their processors say, and the run of a script at a
// test mode, with a transcript without secrets and the record of whether it passed.
import { open } from 'node:fs/promises';
import type { ConnectionRow } from '../../commands/connections/connections.ts';
import { isKnown } from '../../domain/payment/queries.ts';
import type { StandingRead } from '../../domain/payment/standing.ts';
import { connectionMembers } from '../../http/answers/connection.ts';
import { operatorContext } from '../../journal/contexts.ts';
import type { Connection, Processor, ProofStep } from '../../processors/processor.ts';
import { connections } from '../../projections/models/connections.ts';
import { type PaymentKey, payments } from '../../projections/models/payments.ts';
import { allOf } from '../../queries/pages.ts';
import type { Query } from '../../stores/read-models.ts';
import { newId } from '../../world.ts';
import { knowingService, publicUrlOf, webhookUrlOf } from '../addresses.ts';
import type { CommonOptions, GivenValues } from '../command.ts';
import { effective, existing } from '../effect.ts';
import { Refused } from '../exit.ts';
import { mustFindConnection, whichAccount, wholeId } from '../named.ts';
import type { Opened } from '../open/open.ts';
import { type CommandResult, tell } from '../output.ts';
import type { connections as rows } from '../rows/connections.ts';
import { listing, list as listOf, table, toMinute } from '../table.ts';

/** Its references, and never what they name. `at`: ms, when references must count. */
const connectionView = (row: ConnectionRow, at: number) => ({
  ...connectionMembers(row, at),
  accountId: row.doc.accountId,
});

export async function add(given: GivenValues<typeof rows.add>, opened: Opened): Promise<CommandResult> {
  const { processor, name, secretKey, webhookSecret, publishableKey, apiUrl } = given;
  const { service, config } = opened;
  const accountId = await whichAccount(opened, given);
  const request = { accountId, processor, name, secretKey, webhookSecret, publishableKey, apiUrl };
  const { id, token } = await effective(service, connections, await service.connections.add(request));
  const webhookUrl = webhookUrlOf(await knowingService(config, given), processor, token);
  const json = { id, processor, name, webhookUrl };
  if (secretKey === undefined)
    return {
      json,
      text: id,
      notes: [`${name} is a sandbox of its own: see it with sandbox ledger --connection ${name}.`],
    };
  const notes = [`${id}: give this URL to ${processor}, for its notifications. It cannot be shown again.`];
  if (webhookSecret === undefined)
    notes.push(`Then name their secret: \`counterfoil connections rotate ${id} --webhook-secret env:NAME\``);
  return { json, text: webhookUrl, notes };
}

export async function list({ account }: GivenValues<typeof rows.list>, { service }: Opened): Promise<CommandResult> {
  const accountId = account === undefined ? undefined : await wholeId(service.readModels, account);
  const data = (await service.connections.list({ accountId })).map((row) => connectionView(row, service.world.now()));
  const text = listing(
    'connections',
    ['name', 'processor', 'status', 'added', 'id'],
    data.map(({ name, processor, status, createdAt, id }) => [name, processor, status, toMinute(createdAt), id]),
  );
  return { json: { data }, text };
}

export async function show({ connection }: GivenValues<typeof rows.show>, opened: Opened): Promise<CommandResult> {
  const { service, sandbox } = opened;
  const row = await mustFindConnection(opened, connection);
  const view = connectionView(row, service.world.now());
  const { id, previousWebhookSecretUntil: until } = view;
  const isInBox = sandbox?.name === view.processor;
  const problems = [...(await service.connections.known.problemsOf(row)).values()];
  const lines = [
    ['id', id],
    ['name', view.name],
    ['processor', view.processor],
    ['status', view.status],
    ...Object.entries(view.secrets),
    ...(until === null ? [] : [['previous secret valid until', toMinute(until)]]),
    ...(isInBox ? [] : [['secrets', problems.length === 0 ? 'can be read here' : 'cannot be used here']]),
    ...(view.publishableKey === null ? [] : [['publishableKey', view.publishableKey]]),
    ...(view.apiUrl === null ? [] : [['apiUrl', view.apiUrl]]),
    ...(isInBox
      ? []
      : [
          [
            'fences',
            view.burnProven ? 'proven at its server' : `not proven: \`counterfoil connections check ${id} --script\``,
          ],
        ]),
    ...(view.eventsSweptUntil === null ? [] : [['events read until', toMinute(view.eventsSweptUntil)]]),
    ['account', view.accountId],
    ['added', toMinute(view.createdAt)],
  ];
  const unreadable = problems.length === 0 ? null : problems.join(' ');
  const notes = unreadable === null ? [] : [unreadable];
  return { json: { ...view, unreadable }, text: table(['member', 'value'], lines), notes };
}

export async function rotate(given: GivenValues<typeof rows.rotate>, opened: Opened): Promise<CommandResult> {
  const { secretKey, webhookSecret, publishableKey, dropPrevious } = given;
  const { id } = await mustFindConnection(opened, given.connection);
  const references = {
    secretKey,
    webhookSecret,
    publishableKey,
    ...(dropPrevious === true && { dropPrevious }),
  };
  return changed(opened, await opened.service.connections.rotate(id, references), 'has new references');
}

export async function disable(
  { connection }: GivenValues<typeof rows.disable>,
  opened: Opened,
): Promise<CommandResult> {
  const { id } = await mustFindConnection(opened, connection);
  return changed(opened, await opened.service.connections.disable(id), 'is disabled');
}

async function changed(
  { service }: Opened,
  answer: Awaited<ReturnType<Opened['service']['connections']['disable']>>,
  words: string,
): Promise<CommandResult> {
  const { id, doc } = await effective(service, connections, answer);
  return { json: connectionView({ id, doc: existing(doc) }, service.world.now()), text: `${id} ${words}.` };
}

export async function check(given: GivenValues<typeof rows.check>, opened: Opened): Promise<CommandResult | undefined> {
  const row = await mustFindConnection(opened, given.connection);
  if (given.script === true) return runScript(opened, row, given.transcript, given);
  const { id } = row;
  const publicUrl = publicUrlOf(await knowingService(opened.config, given));
  const examined = await opened.service.connections.examine(id, undefined, publicUrl);
  if (examined.kind === 'rejected') throw new Refused(examined.description, examined.errorId);
  const { lines } = examined;
  const isGood = lines.every((one) => one.isGood);
  return {
    json: { id, isGood, lines },
    text: table(
      ['', 'what', 'value'],
      lines.map((one) => [one.isGood ? 'ok' : '!!', one.name, one.value]),
    ),
    warnings: isGood ? [] : ['Something needs attention: see the lines with !!.'],
    isRefused: !isGood,
  };
}

/** Reads that run at a time; the adapter keeps to the limits of its processor. */
const AT_ONCE = 20;
/** Payments that are named, of those that need attention. */
const MOST_NAMED = 20;

/** Reads the payments of a connection at its processor, and puts on record what somebody moved there. */
export async function reconcile(
  { connection, since }: GivenValues<typeof rows.reconcile>,
  opened: Opened,
): Promise<CommandResult> {
  const { id, doc } = await mustFindConnection(opened, connection);
  const found = await standingOf(opened, id, doc, since);
  const count = (read: StandingRead): number => found.filter((one) => one.read === read).length;
  const counts = {
    payments: found.length,
    agree: count('agrees'),
    booked: count('booked'),
    differ: count('differs'),
    unread: count('unread'),
    waiting: count('waits'),
    notShown: count('not_shown'),
  };
  const attention = found.filter(({ read }) => read === 'differs' || read === 'unread').slice(0, MOST_NAMED);
  const text = listOf([
    ...Object.entries(counts).map(([name, value]) => [name, String(value)] as const),
    ...attention.map((one) => [one.read, one.id] as const),
  ]);
  const isRefused = attention.length > 0;
  const warnings = isRefused
    ? ['Some payments differ or were not read: `counterfoil payments list --unknown` has them.']
    : [];
  return { json: { id, ...counts, attention }, text, warnings, isRefused };
}

interface SecretStanding {
  readonly id: string;
  readonly read: StandingRead;
}

/** The reads of the payments that were created since then, ms. */
async function standingOf(
  { service }: Opened,
  connectionId: string,
  { accountId, processor }: ConnectionRow['doc'],
  since: number,
): Promise<readonly SecretStanding[]> {
  const context = operatorContext(service.world, accountId);
  const word = { source: 'operator', detail: 'connections reconcile' } as const;
  const found: SecretStanding[] = [];
  const readAll = async (ids: readonly string[]): Promise<void> => {
    const reads = await Promise.all(ids.map((one) => service.payments.readStanding(one, context, word)));
    for (const [at, read] of reads.entries()) found.push({ id: ids[at] ?? '', read });
  };
  const query: Omit<Query<PaymentKey>, 'limit'> = {
    where: { accountId: [accountId], processor: [processor], date: { from: since } },
    order: { by: 'date', descending: false },
  };
  let next: string[] = [];
  for await (const row of allOf(service.readModels, payments, query)) {
    if (!isKnown(row.doc) || row.doc.connectionId !== connectionId) continue;
    next.push(row.id);
    if (next.length < AT_ONCE) continue;
    await readAll(next);
    next = [];
  }
  await readAll(next);
  return found;
}

/** The longest run; a processor that hangs ends it as failed. */
const RUN_WITHIN_MS = 300_000;
const MARKS = { passed: 'ok', failed: '!!', person: 'you' } as const;

/** Exits 1 if a step failed; an earlier proof is taken back by it. */
async function runScript(
  { service, config }: Opened,
  { id, doc }: ConnectionRow,
  transcript: string | undefined,
  options: CommonOptions,
): Promise<CommandResult> {
  if (config.mode === 'live')
    throw new Refused('The run moves money. Run it for a connection in a test store, at the same server.');
  if (doc.status === 'disabled') throw new Refused('The connection is disabled: there is nothing to prove.');
  const { known } = service.connections;
  const processor = await known.processor(doc.processor);
  if (processor?.prove === undefined) throw new Refused(`The processor ${doc.processor} has nothing to be tried.`);
  const connection = await known.resolved({ id, doc });
  // before money moves: a transcript that cannot be written would leave a run without evidence
  const file = transcript === undefined ? undefined : await open(transcript, 'w', 0o600);
  try {
    const told = await run(processor.prove, { processor, connection, id: newId(service.world, 'run') }, options);
    const text = withoutSecrets({ server: doc.apiUrl ?? doc.processor, steps: told }, connection);
    await file?.writeFile(`${text}\n`);
    const { steps }: { readonly steps: readonly ProofStep[] } = JSON.parse(text);
    const isProven = steps.every(({ result }) => result !== 'failed');
    await effective(service, connections, await service.connections.recordRun(id, isProven));
    const rows = steps.map(({ name, value, result }) => [MARKS[result], name, value]);
    const said = isProven
      ? { notes: ['Passed: the connection is proven. The steps marked you are left for you.'] }
      : {
          warnings: ['A step failed: nothing is proven, and "not found" goes on to need its window.'],
          isRefused: true,
        };
    return {
      json: { id, isProven, steps: file === undefined ? steps : steps.map(withoutExchanges) },
      text: table(['', 'what', 'value'], rows) + (file === undefined ? `\n${text}` : ''),
      ...said,
    };
  } finally {
    await file?.close();
  }
}

async function run(
  prove: NonNullable<Processor['prove']>,
  {
    processor,
    connection,
    id,
  }: { readonly processor: Processor; readonly connection: Connection; readonly id: string },
  options: CommonOptions,
): Promise<readonly ProofStep[]> {
  const steps: ProofStep[] = [];
  for await (const step of prove.call(processor, { connection, signal: AbortSignal.timeout(RUN_WITHIN_MS) }, id)) {
    steps.push(step);
    if (options.json !== true) tell(`${MARKS[step.result]} ${step.name}`);
  }
  return steps;
}

const withoutExchanges = ({ exchanges: _inTranscript, ...step }: ProofStep): object => step;

/** As JSON. No exchange has a secret; this holds even if a server repeats one. */
const withoutSecrets = (told: object, { secrets }: Connection): string =>
  Object.values(secrets)
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)])
    .reduce((shown, secret) => shown.replaceAll(secret, '[redacted]'), JSON.stringify(told, null, 2));

// A connection to a processor as a merchant's backend sees it: what it can do, and whether it responds. Neither its
// references nor their secrets (contract §4, "Connections").
import { z } from 'zod';
import { type CircuitStatus, isAnswer } from '../../commands/limits/circuit.ts';
import type { EndedCall } from '../../commands/limits/circuits.ts';
import { METHODS, OfferedMethod, typeOfOffered } from '../../domain/payment-method.ts';
import type { Capabilities, Connection, Processor } from '../../processors/processor.ts';
import { formatTime } from '../../world.ts';
import { unlessEmpty } from './answer.ts';
import { Instant, pageOf, valuesIn } from './shapes.ts';

const ADJUSTMENTS = {
  NONE: 'The total of an authorization cannot be changed.',
  RAISE: 'It can be raised.',
  ANY: 'It can be raised and lowered.',
} as const;
const CIRCUITS = {
  CLOSED: 'Operations are sent.',
  HALF_OPEN: 'The next operation is let through to try the processor.',
  OPEN: 'New operations are 503 before anything is written.',
} as const;

/** What names a connection. */
export const connectionNames = {
  id: z.string().meta({ description: 'The id of the connection; the built-in sandbox has its name.' }),
  name: z.string().meta({ description: 'Your name of the connection.' }),
  processor: z.string().meta({ description: 'The processor to which the connection leads.' }),
};

const Method = z.strictObject({
  type: OfferedMethod.meta({ description: 'The method of payment, or the wallet.' }),
  currencies: z
    .array(z.string())
    .optional()
    .meta({ description: 'The only currencies of the method; absent if it has any.' }),
  most: z.int().optional().meta({ description: 'The largest amount of the method, minor units; absent without one.' }),
});

const Later = z.strictObject({
  separateCapture: z.boolean().meta({ description: 'False if every authorization takes the money at once.' }),
  partialCapture: z.boolean().meta({ description: 'A capture of less than the authorized amount.' }),
  multipleCaptures: z
    .boolean()
    .meta({ description: 'Several captures of any authorization. If false, some cards may still allow them.' }),
  adjustment: z
    .enum(['NONE', 'RAISE', 'ANY'])
    .meta({ description: 'Changes of the total of an ESTIMATED authorization.', ...valuesIn(ADJUSTMENTS) }),
  endAction: z
    .boolean()
    .meta({ description: 'A customer action can be ended, so that the customer pays in another way.' }),
  disputeResponse: z.boolean().meta({ description: 'Evidence against a dispute can be sent.' }),
});

const AccountConnectionAnswer = z
  .strictObject({
    ...connectionNames,
    status: z
      .enum(['ACTIVE', 'DISABLED'])
      .meta({ description: 'DISABLED: no new payment begins by it; its payments can still be changed.' }),
    methods: z
      .array(Method)
      .optional()
      .meta({ description: 'The methods of payment that it takes; absent if this node does not know the processor.' }),
    currencies: z.array(z.string()).optional().meta({ description: 'Its only currencies; absent if it has any.' }),
    steps: z.record(z.string(), z.int()).optional().meta({
      description: 'By currency, what every amount must be a multiple of, minor units; 1 for a currency without one.',
    }),
    later: Later.optional().meta({
      description: 'What can be done with its payments later. Refunds in parts always can.',
    }),
    circuit: z
      .strictObject({
        state: z
          .enum(['CLOSED', 'HALF_OPEN', 'OPEN'])
          .meta({ description: 'Whether new operations are sent.', ...valuesIn(CIRCUITS) }),
        triesInMs: z.int().optional().meta({ description: 'While it is open: until an operation may try, ms.' }),
      })
      .meta({ description: 'The circuit breaker on the node that responds; each node has its own.' }),
    lastAnswer: z
      .strictObject({
        at: Instant.meta({ description: 'When the call was sent.' }),
        to: z.string().meta({ description: 'The kind of call: an operation of a payment, a look-up, and others.' }),
        outcome: z.string().meta({ description: 'The outcome, such as `succeeded` or `declined`.' }),
      })
      .optional()
      .meta({ description: 'The last call of this node that the processor answered; absent if there was none.' }),
  })
  .meta({ id: 'Connection' });
type AccountConnectionAnswer = z.infer<typeof AccountConnectionAnswer>;

export const AccountConnectionListAnswer = pageOf('ConnectionList', AccountConnectionAnswer);

export interface ShownConnection {
  readonly connection: Connection;
  readonly name: string;
  readonly status: 'active' | 'disabled';
  /** Undefined if this node has no adapter for it. */
  readonly processor: Pick<Processor, 'capabilities' | 'fence' | 'dispute'> | undefined;
  /** Undefined before its first call. */
  readonly circuit: CircuitStatus | undefined;
  /** The newest first. */
  readonly calls: readonly EndedCall[];
}

/** `currencies`: those whose steps are told. */
export function accountConnectionAnswer(
  { connection, name, status, processor, circuit, calls }: ShownConnection,
  currencies: readonly string[],
): AccountConnectionAnswer {
  const answered = calls.find(({ outcome }) => isAnswer(outcome));
  return {
    id: connection.connectionId,
    name,
    processor: connection.processor,
    status: status === 'active' ? 'ACTIVE' : 'DISABLED',
    ...(processor !== undefined && abilities(processor, processor.capabilities(connection), currencies)),
    circuit: circuitOf(circuit),
    lastAnswer: answered && { at: formatTime(answered.at), to: answered.what, outcome: answered.outcome },
  };
}

function abilities(
  { fence, dispute }: Pick<Processor, 'fence' | 'dispute'>,
  { methods = [], currencies, stepOf, separateCapture, partialCapture, multipleCaptures, adjustment }: Capabilities,
  known: readonly string[],
): Pick<AccountConnectionAnswer, 'methods' | 'currencies' | 'steps' | 'later'> {
  const taken = OfferedMethod.options.filter((one) => one === 'PAYMENT_CARD' || methods.includes(one));
  const steps = known.flatMap((code) => ((stepOf?.(code) ?? 1) > 1 ? [[code, stepOf?.(code) ?? 1] as const] : []));
  return {
    methods: taken.map(methodOf),
    currencies: currencies && [...currencies],
    steps: steps.length === 0 ? undefined : Object.fromEntries(steps),
    later: {
      separateCapture: separateCapture !== false,
      partialCapture,
      multipleCaptures,
      adjustment: ADJUSTMENT[adjustment],
      endAction: fence !== undefined,
      disputeResponse: dispute !== undefined,
    },
  };
}

const ADJUSTMENT = { none: 'NONE', raise: 'RAISE', any: 'ANY' } as const;

function methodOf(type: OfferedMethod): NonNullable<AccountConnectionAnswer['methods']>[number] {
  const { currencies, most } = METHODS[typeOfOffered(type)];
  return { type, currencies: currencies === 'any' ? undefined : unlessEmpty([...currencies]), most };
}

function circuitOf({ isOpen, triesInMs }: Partial<CircuitStatus> = {}): AccountConnectionAnswer['circuit'] {
  if (isOpen !== true) return { state: 'CLOSED' };
  return triesInMs === 0 ? { state: 'HALF_OPEN' } : { state: 'OPEN', triesInMs };
}

// The acquirer Stub with an issuer that wants to see the customer: a further call continues the authorization.
import type { LookUp, Outcome, RequiresAction } from '../../../src/domain/payment/outcome.ts';
import type { OperationRequest, Processor } from '../../../src/processors/processor.ts';
import type { Challenges, Make } from '../../contract/processor/bench.ts';
import type { Trait } from '../../contract/processor/row.ts';
import { CARD } from './acquirer.ts';
import { ONE_STEP, stubOnTrial } from './harness.ts';
import { openStub, type Stub, type StubOptions } from './stub.ts';

export const ASKING: readonly Trait[] = [...ONE_STEP, 'challenges', 'resumes'];
/** A card whose issuer asks; the acquirer knows it as another one. */
const ASKING_CARD = '4000000000003220';
const DECLINED = { kind: 'declined', code: 'AUTHENTICATION_REQUIRED', declineType: 'HARD' } as const;

/** What the issuer knows of an authorization; `over`: it was continued. */
type Asked = 'waiting' | 'agreed' | 'refused' | 'over';

export interface AskingStub extends Stub {
  readonly challenges: Challenges;
  resume(request: OperationRequest, call: Parameters<Processor['perform']>[1]): Promise<Outcome>;
}

/** Connects to nothing yet. */
export function openAskingStub(options: StubOptions): AskingStub {
  const stub = openStub(options);
  const tokens = new Set<string>();
  const issuer = new Map<string, Asked>();
  const pageOf = (reference: string): string => `https://issuer.example/${reference}`;
  const asks = ({ reference }: OperationRequest): RequiresAction => ({
    kind: 'requires_action',
    processorTransactionId: `asked-${reference}`,
    action: { kind: 'redirect', url: pageOf(reference) },
  });
  return {
    ...stub,
    async tokenize(request, call) {
      if (!('card' in request.from) || request.from.card.number !== ASKING_CARD) return stub.tokenize(request, call);
      const made = await stub.tokenize({ ...request, from: { card: { ...request.from.card, number: CARD } } }, call);
      if (made.kind === 'token') tokens.add(made.processorToken);
      return made;
    },
    async perform(request, call) {
      if (request.operation !== 'authorization' || !tokens.has(request.processorToken))
        return stub.perform(request, call);
      if (!issuer.has(request.reference)) issuer.set(request.reference, 'waiting');
      return asks(request);
    },
    async resume(request, call) {
      const asked = issuer.get(request.reference);
      if (asked === undefined) return { kind: 'unknown', detail: 'the issuer does not know the authorization' };
      if (asked === 'waiting') return asks(request);
      if (asked === 'refused') return DECLINED;
      const outcome = await stub.perform(request, call);
      if (outcome.kind === 'succeeded') issuer.set(request.reference, 'over');
      return outcome;
    },
    async lookUp(request, call): Promise<LookUp> {
      const found = await stub.lookUp(request, call);
      if (found.kind === 'released') throw new Error('the stub has no fence');
      const asked = issuer.get(request.reference);
      if (found.kind !== 'not_found' || asked === undefined) return found;
      return asked === 'refused' ? DECLINED : asks(request);
    },
    challenges: {
      card: () => ({ card: { number: ASKING_CARD, expirationMonth: '12', expirationYear: '2039', cvc: '123' } }),
      async answer({ action }, isApproved) {
        for (const [reference, asked] of issuer)
          if (asked === 'waiting' && 'url' in action && action.url === pageOf(reference))
            issuer.set(reference, isApproved ? 'agreed' : 'refused');
      },
    },
  };
}

/** `change`: the processor that is tried in the place of this one. */
export const askingOnTrial =
  (change: (stub: AskingStub) => Processor = (stub) => stub): Make =>
  async (through) => {
    const opened: AskingStub[] = [];
    const open = (options: StubOptions): AskingStub => {
      const stub = openAskingStub(options);
      opened.push(stub);
      return stub;
    };
    const tested = await stubOnTrial(open)(through);
    const [stub] = opened;
    if (stub === undefined) throw new Error('nothing was opened');
    return { ...tested, processor: change(stub), challenges: stub.challenges };
  };

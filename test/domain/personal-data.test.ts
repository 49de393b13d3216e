// Every free text of every event is personal data, which the journal encrypts, or has a reason to be recorded plain.
import { expect } from 'chai';
import { z } from 'zod';
import { category, event } from '../../src/domain/category.ts';
import { hasPersonal, personal, personalIn, withPersonal } from '../../src/domain/personal.ts';
import { FOLDS } from '../../src/queries/replay-stream.ts';

/** Why members of these names are recorded plain, in any event; the names are in `words`. */
const PLAIN: readonly { readonly because: string; readonly words: string }[] = [
  {
    because: 'an id or a name that this service gives: it names nobody without its documents',
    words: `accountId agreementId forAgreement attemptId answerId connectionId connection disputeId endpointId eventId firstRecordId initialPaymentId into keyIds keyStore
      notificationId operation operationId paymentId paymentMethodToken projection reference refundId resourceId
      retriedAs sessionId sessionIds stream token userId walletId webhookId webhookKeyId author by`,
  },
  {
    because: 'an id of the merchant, by which books and look-ups work; contract §5 says to use none that is a name',
    words: 'customerId orderId periodKey withdrawn metadata',
  },
  {
    because: 'an id of the processor, by which money is traced; the processor erases its own data',
    words: `processor processorDisputeId processorToken processorTransactionId networkTransactionId transactionLinkId
      refunds mandate mandateReference apiUrl publishableKey`,
  },
  {
    because: 'a part of a card or an account that identifies nobody, and by which payments are found and disputed',
    words: 'first6Digits last4Digits ibanLast4 bankName expirationMonth expirationYear network fingerprint',
  },
  {
    because: 'goods, amounts and terms of the order: the books',
    words: `brand color countryCode retailerCountryCode currencyCode description descriptor globalTradeItemNumber itemId
      manufacturerPartNumber methodDescription methodId methodName name options pageUrl productType sku taxCode type
      weightUnit returnUrl textDigest textUrl shownText startsAt endsAt dueOn`,
  },
  {
    because: 'a code of a processor, a network or a rule',
    words: `avsResult cvcResult code networkCode networkAdviceCode reasonCode refused errorId attempted told state threeDSecure never on
      then methodType initiator fallbackOn rule connectionName detail data because`,
  },
  {
    because: "the merchant's own words about money, which its books keep; contract §5 says to write no name there",
    words: 'reason',
  },
  {
    because: 'a secret, or the hash of one',
    words: `burnProven contentHash passwordHash recoveryHash recoveryHashes resumeTokenHash sealedSecret secretHash secrets signature
      tokenHash wrappedStoreKey`,
  },
  {
    because: 'about the log itself: its places, its hashes and the key that signs it',
    words: 'storeId root position madeAt publicKey edge end seen',
  },
  {
    because: 'set up by the staff of the merchant, and about no customer',
    words: 'do events grants list match origins role scopes search url why',
  },
  {
    because: 'about a user of the dashboard: users are not customers, and end with the account',
    words: 'address device email',
  },
  {
    because: "a receiver's response, or the fault of a call: the merchant's own system wrote it",
    words: 'body fault',
  },
];

const free: ReadonlySet<string> = new Set(['string', 'record', 'unknown', 'any']);

/** The paths of the free texts below a schema, outside of personal members. */
function textsIn(schema: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  if (!(schema instanceof z.ZodType) || personalIn(schema).some((member) => member.path.length === 0)) return [];
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return textsIn(schema.unwrap(), path);
  if (schema instanceof z.ZodArray) return textsIn(schema.element, path);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option: unknown) => textsIn(option, path));
  if (schema instanceof z.ZodObject)
    return Object.entries(schema.shape).flatMap(([name, member]) => textsIn(member, [...path, name]));
  return free.has(schema.def.type) ? [path] : [];
}

const categories = [...FOLDS.values()].map(({ category: of }) => of);
const texts = categories.flatMap(({ name, data }) =>
  [...data].flatMap(([type, schema]) => textsIn(schema).map((path) => ({ where: `${name} ${type}`, path }))),
);

describe('every free text of an event', () => {
  const decided = new Map(PLAIN.flatMap(({ because, words }) => words.split(/\s+/).map((word) => [word, because])));

  it('is personal, or has a reason to be plain', () => {
    const undecided = texts.filter(({ path }) => !decided.has(path.at(-1) ?? ''));
    expect(
      undecided.map(({ where, path }) => `${where}: ${path.join('.')}`),
      'mark it with personal() where it is recorded, or give its name a reason here',
    ).to.deep.equal([]);
  });

  it('is there for every reason', () => {
    const there = new Set(texts.map(({ path }) => path.at(-1)));
    expect([...decided.keys()].filter((word) => !there.has(word))).to.deep.equal([]);
  });

  it('is encrypted where it is personal', () => {
    const marked = categories.flatMap(({ name, data }) =>
      [...data].flatMap(([type, schema]) => personalIn(schema).map(({ path }) => `${name} ${type} ${path.join('.')}`)),
    );
    expect(marked.sort()).to.deep.equal([
      'agreement AgreementProposed consent.ipAddress',
      'agreement AgreementProposed consent.userAgent',
      'agreement AgreementTermsChanged consent.ipAddress',
      'agreement AgreementTermsChanged consent.userAgent',
      'clientSession ClientSessionAgreed ipAddress',
      'clientSession ClientSessionAgreed userAgent',
      'clientSession ClientSessionCreated fields.customer',
      'clientSession ClientSessionUpdated set.customer',
      'customerWallet InstrumentAdded description',
      'customerWallet InstrumentAdded paymentMethodData.cardholderName',
      'customerWallet InstrumentAdded paymentMethodData.emailAddress',
      'customerWallet InstrumentRefreshed paymentMethodData.cardholderName',
      'customerWallet InstrumentRefreshed paymentMethodData.emailAddress',
      'notification NotificationReceived raw',
      'payment DisputeEvidenceDrafted submission',
      'payment DisputeEvidenceSubmitted submission',
      'payment PaymentCreated customer',
      'payment PaymentCreated emailHash',
      'payment PaymentCreated paymentMethod.paymentMethodData.cardholderName',
      'payment PaymentCreated paymentMethod.paymentMethodData.emailAddress',
      'paymentInstrument InstrumentTokenized paymentMethodData.cardholderName',
      'paymentInstrument InstrumentTokenized paymentMethodData.emailAddress',
      'paymentInstrument VaultingRequested description',
      'paymentInstrument VaultingRequested holder',
      'paymentNote NoteAdded text',
    ]);
  });
});

describe('personal()', () => {
  const shape = z.strictObject({
    kept: z.string(),
    name: personal(z.string()).optional(),
    words: personal(z.string(), '-'),
    lines: z.array(z.union([z.strictObject({ to: personal(z.string()).optional() }), z.strictObject({ no: z.int() })])),
  });
  const of = category('thing', z.discriminatedUnion('type', [event('Made', shape)]));
  const members = of.personal.get('Made') ?? [];

  it('is found in optional members, lists and unions', () => {
    expect(members.map(({ path }) => path.join('.'))).to.deep.equal(['name', 'words', 'lines.*.to']);
  });

  it('says whether data have any', () => {
    expect(hasPersonal({ kept: 'a', lines: [{ no: 1 }] }, members)).to.equal(false);
    expect(hasPersonal({ kept: 'a', lines: [{ no: 1 }, { to: 'b' }] }, members)).to.equal(true);
  });

  it('changes those alone, keeps the order of members, and never the data themselves', () => {
    const data = { kept: 'a', name: 'b', words: 'c', lines: [{ no: 1 }, { to: 'd' }] };
    const before = structuredClone(data);
    expect(JSON.stringify(withPersonal(data, members, (value) => `<${String(value)}>`))).to.equal(
      '{"kept":"a","name":"<b>","words":"<c>","lines":[{"no":1},{"to":"<d>"}]}',
    );
    expect(withPersonal(data, members, (_, { erased }) => erased)).to.deep.equal({
      kept: 'a',
      words: '-',
      lines: [{ no: 1 }, {}],
    });
    expect(data).to.deep.equal(before);
  });

  it('leaves a schema as it is for everybody else', () => {
    const plain = z.string();
    personal(plain);
    expect(personalIn(z.object({ plain }))).to.deep.equal([]);
  });
});

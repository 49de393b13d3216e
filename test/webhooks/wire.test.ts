// Receivers that misbehave on the wire, over real sockets: one attempt each on record, the lane goes on, and no socket
// is left.
import { expect } from 'chai';
import type { Post } from '../../src/commands/webhooks/post.ts';
import { RETRY_DELAYS } from '../../src/domain/webhook-queue/decide.ts';
import type { DeliveryAttempt } from '../../src/domain/webhook-queue/state.ts';
import { openReceivers, type Receivers } from '../../src/receivers/receivers.ts';
import { calmWorld, pause } from '../support/calm-world.ts';
import { type HttpService, serveHttp } from '../support/http-service.ts';
import { until } from '../support/until.ts';
import { openRawReceiver, type RawReceiver, TAKEN } from './raw-receiver.ts';
import { addEndpoint } from './told-node.ts';
import { MISFORTUNES, type Misfortune } from './wire-misfortunes.ts';

/** Of calls that hang; all others have the ten seconds of contract §8. */
const SHORT_DEADLINE_MS = 300;
const LONG_DEADLINE_MS = 60_000;
/** Until the first retry. */
const RETRY_MS = 7_000;

type Opened = Misfortune & { readonly receiver: RawReceiver };
const openAll = (): Promise<readonly Opened[]> =>
  Promise.all(MISFORTUNES.map(async (one) => ({ ...one, receiver: await openRawReceiver(one.treat, one.tls) })));

describe('a receiver that misbehaves on the wire', () => {
  it('costs no socket and no timer once its call is over', async () => {
    const held = (): number => process.getActiveResourcesInfo().filter((kind) => /TCP|TLS|Timeout/.test(kind)).length;
    await pause(1); // mocha's own timer runs from the first wait on
    const before = held();
    const receivers = openReceivers({ world: calmWorld, isAllowed: () => true });
    const opened = await openAll();
    await Promise.all(
      opened.map(({ receiver: { url }, hangs }) =>
        receivers.post(
          { url, headers: {}, body: '{"sequence":1}' },
          AbortSignal.timeout(hangs === true ? SHORT_DEADLINE_MS : LONG_DEADLINE_MS),
        ),
      ),
    );
    const open = (): number => opened.reduce((sum, { receiver }) => sum + receiver.open, 0);
    receivers.close();
    await until(() => open() === 0); // each connection was closed here
    for (const { receiver } of opened) await receiver.close();
    await until(() => held() <= before); // what other tests left behind may end meanwhile
  });

  describe('when it gets messages about payments', () => {
    let receivers: Receivers;
    let http: HttpService;
    let opened: readonly Opened[];
    const endpoints = new Map<string, string>(); // ids, by title
    before(async () => {
      receivers = openReceivers({ world: calmWorld, isAllowed: () => true });
      opened = await openAll();
      const hanging = new Set(opened.flatMap(({ receiver, hangs }) => (hangs === true ? receiver.url : [])));
      const post: Post = (call, signal) =>
        receivers.post(
          call,
          hanging.delete(call.url) ? AbortSignal.any([signal, AbortSignal.timeout(SHORT_DEADLINE_MS)]) : signal,
        );
      http = await serveHttp({ post, sandboxInMemory: true });
      for (const { title, receiver } of opened)
        endpoints.set(title, await addEndpoint(http.service, http.shop.accountId, receiver.url));
    });
    after(async () => {
      await http.stop();
      receivers.close();
      for (const { receiver } of opened) await receiver.close();
    });

    /** The attempts for the first message about a payment, and whether it is delivered. */
    const attempts = async (title: string, paymentId: string): Promise<readonly DeliveryAttempt[]> => {
      const { state } = await http.service.streams.webhookQueues.current(`${endpoints.get(title)}.${paymentId}`);
      return state.status === 'absent' ? [] : (state.messages[0]?.attempts ?? []);
    };
    const isTaken = ({ status = 0 }: DeliveryAttempt): boolean => status >= 200 && status < 300;

    let first: string;
    it('has one attempt on record, with what it did', async () => {
      ({ id: first } = await http.shop.paid());
      for (const { title } of opened) await until(async () => (await attempts(title, first)).length > 0);
      const wrong: string[] = [];
      for (const { title, ends } of opened) {
        const made = await attempts(title, first);
        const [{ at = 0, status, fault } = {}] = made;
        // a slow machine may have come to the first retry
        const before = made.filter((one) => one.at < at + (RETRY_DELAYS[0] ?? 0)).length;
        const isRight = before === 1 && (typeof ends === 'number' ? status === ends : ends.test(fault ?? ''));
        if (!isRight) wrong.push(`${title}: ${before} attempts, ${status ?? ''} ${fault ?? ''}`);
      }
      expect(wrong).to.deep.equal([]);
    });

    it('gets the next message, and the first one again until it takes it, each call on record', async () => {
      for (const { receiver } of opened) receiver.treat((socket) => void socket.write(TAKEN));
      const speaking = opened.filter(({ tls }) => tls === undefined);
      const { id: second } = await http.shop.paid();
      for (const { title } of speaking) await until(async () => (await attempts(title, second)).some(isTaken));
      http.world.advance(RETRY_MS);
      http.service.lookAtOnce();
      for (const { title } of speaking) await until(async () => (await attempts(title, first)).some(isTaken));
      for (const { title, receiver } of speaking) {
        const made = [...(await attempts(title, first)), ...(await attempts(title, second))];
        expect(receiver.calls.length, title).to.equal(made.length);
      }
      expect(http.faults).to.deep.equal([]);
    });

    it('that closes a kept connection under the next call gets that message again, and each call is on record', async () => {
      const receiver = await openRawReceiver((socket, call) => {
        if (call === 2) socket.destroy();
        else socket.write(TAKEN);
      });
      endpoints.set('closes', await addEndpoint(http.service, http.shop.accountId, receiver.url));
      const { id: one } = await http.shop.paid();
      await until(async () => (await attempts('closes', one)).some(isTaken));
      const { id: two } = await http.shop.paid();
      await until(async () => (await attempts('closes', two)).length === 1);
      expect((await attempts('closes', two))[0]?.fault).to.match(
        /the connection was closed before a whole answer came/,
      );
      http.world.advance(RETRY_MS);
      http.service.lookAtOnce();
      await until(async () => (await attempts('closes', two)).length === 2);
      expect((await attempts('closes', two)).map(isTaken)).to.deep.equal([false, true]);
      expect(receiver.calls.length).to.equal(3);
      await receiver.close();
    });
  });
});

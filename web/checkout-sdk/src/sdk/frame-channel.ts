// The only way to the card frame: a private channel, created when the frame greets, and again when another page has
// taken the place of its first one. Messages are accepted only from the frame's own window and origin, and go only to
// that origin.
import {
  CONNECT,
  type Configuration,
  type Connect,
  type FromFrame,
  isHello,
  type ToFrame,
} from '../shared/protocol.ts';

export interface Channel {
  /** Sends if the channel is open. True if it was sent. */
  readonly send: (message: ToFrame) => boolean;
  readonly close: () => void;
}

export function openChannel(
  frame: HTMLIFrameElement,
  origin: string,
  configuration: () => Configuration,
  { greeted, hear }: { readonly greeted: () => void; readonly hear: (news: FromFrame) => void },
): Channel {
  let port: MessagePort | undefined;
  const onMessage = ({ source, origin: from, data }: MessageEvent<unknown>): void => {
    const target = frame.contentWindow;
    if (target === null || source !== target || from !== origin || !isHello(data)) return;
    greeted();
    port?.close();
    const channel = new MessageChannel();
    port = channel.port1;
    port.onmessage = ({ data: news }: MessageEvent<FromFrame>) => hear(news);
    const connect: Connect = { counterfoil: CONNECT, configuration: configuration() };
    target.postMessage(connect, origin, [channel.port2]);
  };
  window.addEventListener('message', onMessage);
  return {
    send(message) {
      port?.postMessage(message);
      return port !== undefined;
    },
    close() {
      window.removeEventListener('message', onMessage);
      port?.close();
    },
  };
}

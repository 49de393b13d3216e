// Loads the card frame into the shop's page. The frame is hidden until its first message, reloaded if it stays silent,
// and given up after some attempts.
import type { Configuration, FromFrame, ToFrame } from '../shared/protocol.ts';
import { type Channel, openChannel } from './frame-channel.ts';
import { makeFrame, paint, setHeight } from './frame-element.ts';
import { unreachableBox } from './unreachable.ts';

const LOAD_WITHIN_MS = 20_000;
/**
 * The frame's script sends a message before its page counts as loaded. A loaded page without one is the browser's own
 * error page.
 */
const SILENT_AFTER_LOAD_MS = 1_500;
/** Between attempts. After the last one the shopper decides when to try again. */
const PAUSES_MS: readonly number[] = [1_000, 3_000];

interface Needs {
  /** The origin of the service. */
  readonly origin: string;
  readonly address: () => string;
  readonly configuration: () => Configuration;
  readonly hear: (news: FromFrame) => void;
  readonly onUnreachable: () => void;
  /** Called when the shopper asks for another attempt. */
  readonly onAgain: () => void;
}

interface CardFrame {
  /** Sends if the frame is ready. True if it was sent. */
  readonly send: (message: ToFrame) => boolean;
  /** Sends the current configuration to the frame. Another address needs another frame. */
  readonly configure: () => void;
  readonly close: () => void;
}

export function openCardFrame(
  host: HTMLElement,
  { origin, address, configuration, hear, onUnreachable, onAgain }: Needs,
): CardFrame {
  const place = document.createElement('div');
  host.append(place);
  let frame: HTMLIFrameElement | undefined;
  let channel: Channel | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let failed = 0;

  const stop = (): void => {
    clearTimeout(timer);
    channel?.close();
    channel = undefined;
    frame = undefined;
  };

  // A new frame each time: another address in the old one would be a step in the browser's history.
  const load = (): void => {
    stop();
    const made = makeFrame(address(), configuration().appearance.theme);
    frame = made;
    // The page in the frame has greeted: for a session with a processor's own fields another one takes its place.
    let hasGreeted = false;
    channel = openChannel(made, origin, configuration, {
      greeted() {
        clearTimeout(timer);
        hasGreeted = true;
      },
      hear(news) {
        made.style.visibility = '';
        if (news.kind === 'height') setHeight(made, news.px);
        else if (news.kind === 'title') made.title = news.text;
        else hear(news);
      },
    });
    timer = setTimeout(fail, LOAD_WITHIN_MS);
    made.addEventListener('load', () => {
      if (frame !== made) return;
      if (!hasGreeted) {
        made.style.visibility = 'hidden';
        clearTimeout(timer);
        timer = setTimeout(fail, SILENT_AFTER_LOAD_MS);
      }
      hasGreeted = false;
    });
    place.replaceChildren(made);
  };

  const fail = (): void => {
    const pause = PAUSES_MS[failed];
    failed += 1;
    if (pause !== undefined) {
      timer = setTimeout(load, pause);
      return;
    }
    stop();
    const again = (): void => {
      onAgain();
      begin();
    };
    place.replaceChildren(unreachableBox(configuration().locale, again));
    onUnreachable();
  };

  const begin = (): void => {
    failed = 0;
    load();
  };
  begin();

  return {
    send: (message) => channel?.send(message) ?? false,
    configure() {
      if (frame?.src !== address()) return begin();
      paint(frame, configuration().appearance.theme);
      channel?.send({ kind: 'configure', configuration: configuration() });
    },
    close() {
      stop();
      place.remove();
    },
  };
}

// Streams of the account: found by name or by the id of their subject, and looked at event by event.
import { Button, TextInput } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { MagnifyingGlassIcon } from '@radix-ui/react-icons';
import { type FormEvent, type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { Empty } from '../../parts/states.tsx';
import { StreamView } from './stream-view.tsx';
import classes from './streams.module.css';

interface StreamsPanelProps {
  readonly stream: string | undefined;
  readonly revision: number | undefined;
  /** `isStep`: from one event of a stream to another, which the back button need not undo. */
  readonly onShow: (stream: string | undefined, revision: number | undefined, isStep: boolean) => void;
  /** False where something else fills the page while no stream is shown. */
  readonly isAlone?: boolean;
}

export function StreamsPanel({ stream, revision, onShow, isAlone = true }: StreamsPanelProps): ReactNode {
  const { recent, remember } = useRecentStreams();
  return (
    <>
      <Search
        key={stream ?? ''}
        stream={stream}
        isFocused={isAlone}
        onShow={(name) => onShow(name, undefined, false)}
      />
      {stream === undefined && isAlone && (
        <Empty title="Open a stream">
          Every payment, session, instrument, key and customer’s set of saved cards is a stream of events. Enter the
          name of a stream, or the id of its subject: <code>pay_…</code>, <code>cs_…</code>, <code>pm_…</code>,{' '}
          <code>key_…</code>, <code>acc_…</code>.
          <Recent names={recent} onShow={(name) => onShow(name, undefined, false)} />
        </Empty>
      )}
      {stream !== undefined && (
        <StreamView
          key={stream}
          name={stream}
          revision={revision}
          onRevision={(next) => onShow(stream, next, true)}
          onFound={remember}
        />
      )}
    </>
  );
}

interface SearchProps {
  readonly stream: string | undefined;
  readonly isFocused: boolean;
  readonly onShow: (name: string) => void;
}

function Search({ stream, isFocused, onShow }: SearchProps): ReactNode {
  const [text, setText] = useState(stream ?? '');
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (stream === undefined && isFocused) input.current?.focus();
  }, [stream, isFocused]);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (text.trim() !== '') onShow(text.trim());
  };
  return (
    <form className={classes['search']} onSubmit={submit}>
      <TextInput
        ref={input}
        className={classes['searchField'] ?? ''}
        aria-label="Stream or id"
        placeholder="payment-pay_… or pay_…"
        leftSection={<MagnifyingGlassIcon aria-hidden />}
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
        spellCheck={false}
        autoComplete="off"
      />
      <Button type="submit" variant="default">
        Show
      </Button>
    </form>
  );
}

function Recent({
  names,
  onShow,
}: {
  readonly names: readonly string[];
  readonly onShow: (name: string) => void;
}): ReactNode {
  if (names.length === 0) return null;
  return (
    <div className={classes['recent']}>
      <p>Recently viewed</p>
      <ul>
        {names.map((name) => (
          <li key={name}>
            <button type="button" onClick={() => onShow(name)}>
              {name}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

const MOST = 6;
const NONE: readonly string[] = [];

/** The names of the streams recently viewed in this browser, newest first. */
function useRecentStreams() {
  const [recent, setRecent] = useLocalStorage<readonly string[]>({ key: 'counterfoil-streams', defaultValue: NONE });
  const remember = useCallback(
    (name: string) =>
      setRecent((before) =>
        before[0] === name ? before : [name, ...before.filter((one) => one !== name)].slice(0, MOST),
      ),
    [setRecent],
  );
  return { recent, remember };
}

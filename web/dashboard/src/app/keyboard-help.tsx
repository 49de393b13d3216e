// The keys that go to a page, `?`, and the list of every key that works on the current page.
import { Kbd, Modal } from '@mantine/core';
import { useRouter } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { activeShortcuts, type Shortcut, useShortcuts } from './keyboard.tsx';
import classes from './keyboard-help.module.css';
import { useNavigation } from './navigation.tsx';

/** Rendered once, in the frame. */
export function KeyboardHelp(): ReactNode {
  const [shown, setShown] = useState<readonly Shortcut[]>();
  const router = useRouter();
  const pages = useNavigation().flatMap(({ entries }) => entries);
  useShortcuts([
    { keys: '?', does: 'This list', run: () => setShown(activeShortcuts()) },
    ...pages.map(({ label, to, key }) => ({
      keys: `g ${key}`,
      does: `Go to ${label}`,
      run: () => router.history.push(`/dashboard${to}`),
    })),
  ]);
  const unique = [...new Map(shown?.map((one) => [one.keys, one])).values()];
  const goes = unique.filter(({ keys }) => keys.startsWith('g '));
  return (
    <Modal opened={shown !== undefined} onClose={() => setShown(undefined)} title="Keyboard" size={560}>
      <div className={classes['lists']}>
        <Keys label="On this page" shortcuts={unique.filter((one) => !goes.includes(one))} />
        <Keys label="Go to" shortcuts={goes} />
      </div>
    </Modal>
  );
}

const Keys = ({ label, shortcuts }: { readonly label: string; readonly shortcuts: readonly Shortcut[] }): ReactNode => (
  <section aria-label={label}>
    <h3 className={classes['heading']}>{label}</h3>
    <dl className={classes['keys']}>
      {shortcuts.map(({ keys, does }) => (
        <div key={keys} className={classes['line']}>
          <dt>{does.replace(/^Go to /, '')}</dt>
          <dd>
            {keys.split(' ').map((key) => (
              <Kbd key={key}>{key}</Kbd>
            ))}
          </dd>
        </div>
      ))}
    </dl>
  </section>
);

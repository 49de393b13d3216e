// The keyboard's single keys: on or off in this browser.
import { Switch } from '@mantine/core';
import type { ReactNode } from 'react';
import { useSingleKeys } from '../../app/keyboard-switch.ts';
import { Panel } from './panel.tsx';

export function KeyboardPanel(): ReactNode {
  const [areOn, set] = useSingleKeys();
  return (
    <Panel title="Keyboard" lead="Keys such as / to search, and j and k to go through a list. The choice is kept in this browser.">
      <Switch label="Shortcuts of single keys" checked={areOn} onChange={({ currentTarget }) => set(currentTarget.checked)} />
    </Panel>
  );
}

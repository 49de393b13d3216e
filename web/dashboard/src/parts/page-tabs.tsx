// The tabs of a page. The URL contains the chosen one. On a narrow screen they scroll in their line.
import { Tabs } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './tab-row.module.css';

export interface PageTab<Name extends string> {
  readonly name: Name;
  readonly title: string;
  readonly panel: ReactNode;
}

interface PageTabsProps<Name extends string> {
  readonly tabs: readonly PageTab<Name>[];
  readonly chosen: Name;
  readonly onChoose: (name: Name) => void;
}

/** Only the chosen panel is there. */
export function PageTabs<Name extends string>({ tabs, chosen, onChoose }: PageTabsProps<Name>): ReactNode {
  const choose = (value: string | null): void => {
    const tab = tabs.find(({ name }) => name === value);
    if (tab !== undefined) onChoose(tab.name);
  };
  return (
    <Tabs variant="none" value={chosen} onChange={choose} keepMounted={false}>
      <Tabs.List className={classes['row'] ?? ''} mb="lg">
        {tabs.map(({ name, title }) => (
          <Tabs.Tab key={name} value={name} className={classes['tab'] ?? ''}>
            {title}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map(({ name, panel }) => (
        <Tabs.Panel key={name} value={name}>
          {panel}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

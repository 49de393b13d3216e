// The columns that a list shows. The choice is stored in this browser.
import { Button, Checkbox, Popover, Stack } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { ColumnsIcon } from '@radix-ui/react-icons';
import { type ReactNode, useMemo } from 'react';

interface Named {
  readonly id: string;
  readonly name: string;
}

/** The ids of the columns that are not shown, and their setter. `list` names what is kept. */
export function useHiddenColumns(
  list: string,
  columns: readonly Named[],
  atFirst: ReadonlySet<string>,
): readonly [ReadonlySet<string>, (hidden: ReadonlySet<string>) => void] {
  const [shown, setShown] = useLocalStorage<readonly string[]>({
    key: `counterfoil-columns-${list}`,
    defaultValue: [...atFirst],
  });
  const hidden = useMemo(
    () => new Set(columns.map(({ id }) => id).filter((id) => !shown.includes(id))),
    [columns, shown],
  );
  return [hidden, (next) => setShown(columns.map(({ id }) => id).filter((id) => !next.has(id)))];
}

interface ColumnChooserProps {
  readonly columns: readonly Named[];
  readonly hidden: ReadonlySet<string>;
  readonly onChange: (hidden: ReadonlySet<string>) => void;
}

export function ColumnChooser({ columns, hidden, onChange }: ColumnChooserProps): ReactNode {
  const shownCount = columns.length - hidden.size;
  const toggle = (id: string): void => {
    const next = new Set(hidden);
    if (!next.delete(id)) next.add(id);
    onChange(next);
  };
  return (
    <Popover position="bottom-end" shadow="md" trapFocus returnFocus>
      <Popover.Target>
        <Button variant="default" leftSection={<ColumnsIcon />} visibleFrom="sm">
          Columns
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="xs" role="group" aria-label="Columns">
          {columns.map(({ id, name }) => (
            <Checkbox
              key={id}
              label={name}
              checked={!hidden.has(id)}
              // The last one stays: a list without columns shows nothing.
              disabled={shownCount === 1 && !hidden.has(id)}
              onChange={() => toggle(id)}
            />
          ))}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

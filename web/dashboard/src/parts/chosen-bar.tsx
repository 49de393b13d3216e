// What can be done with several chosen rows of a list at once.
import { Button, Group } from '@mantine/core';
import { DownloadIcon } from '@radix-ui/react-icons';
import type { ReactNode } from 'react';
import { useMay } from '../app/session.tsx';
import classes from './chosen-bar.module.css';

/** Rows in one CSV, as the service has it. */
const MOST_IN_CSV = 100;

interface ChosenBarProps {
  /** The bar's name, for people who hear the page. */
  readonly label: string;
  /** The ids of the chosen rows, as the CSV of the list takes them. */
  readonly ids: readonly string[];
  /** Where the CSV of the list is: `/dashboard/api/payments.csv`. */
  readonly csvPath: string;
  readonly onClear: () => void;
  /** Further buttons. */
  readonly children?: ReactNode;
}

export function ChosenBar({ label, ids, csvPath, onClear, children }: ChosenBarProps): ReactNode {
  const mayExport = useMay('owner', 'support', 'auditor');
  const isTooMany = ids.length > MOST_IN_CSV;
  const csv = new URLSearchParams(ids.map((id) => ['id', id]));
  return (
    <div className={classes['bar']} role="toolbar" aria-label={label}>
      <Group gap="xs">
        <span aria-live="polite">{ids.length} chosen</span>
        <Button variant="subtle" size="compact-md" onClick={onClear}>
          Clear
        </Button>
      </Group>
      <Group gap="xs">
        {children}
        {mayExport &&
          (isTooMany ? (
            <span className={classes['note']}>CSV of {MOST_IN_CSV} at most</span>
          ) : (
            <Button
              component="a"
              href={`${csvPath}?${csv}`}
              download
              variant="default"
              size="compact-md"
              leftSection={<DownloadIcon />}
            >
              CSV of these
            </Button>
          ))}
      </Group>
    </div>
  );
}

// The button that downloads all rows of a list that match.
import { Button } from '@mantine/core';
import { DownloadIcon } from '@radix-ui/react-icons';
import type { ReactNode } from 'react';
import { useMay } from '../app/session.tsx';

interface ExportCsvProps {
  /** `/dashboard/api/payments.csv` */
  readonly path: string;
  /** The filters and the order, by the API's names. */
  readonly search: Readonly<Record<string, string>>;
}

/** Nothing for a role that may not export. */
export function ExportCsv({ path, search }: ExportCsvProps): ReactNode {
  const mayExport = useMay('owner', 'support', 'auditor');
  if (!mayExport) return null;
  const query = new URLSearchParams(search).toString();
  return (
    <Button
      component="a"
      href={`${path}${query === '' ? '' : `?${query}`}`}
      download
      variant="default"
      leftSection={<DownloadIcon />}
    >
      Export CSV
    </Button>
  );
}

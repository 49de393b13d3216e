// An id in a list: short, with a button that copies the whole.
import type { ReactNode } from 'react';
import { CopyText } from './copy.tsx';
import { shortId } from './short-id.ts';

interface CopiedIdProps {
  readonly id: string;
  /** The id's own name, for people who hear the page: "payment id". */
  readonly label: string;
}

export function CopiedId({ id, label }: CopiedIdProps): ReactNode {
  const short = shortId(id);
  return <CopyText text={id} label={label} short={short === id ? undefined : short} />;
}

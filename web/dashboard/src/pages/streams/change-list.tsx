// The change that one event made to the state: each member by its path, what it was and what it is.
import type { ReactNode } from 'react';
import { jsonText } from './json-view.tsx';
import type { StreamEvent } from './stream-queries.ts';
import classes from './streams.module.css';

type Change = StreamEvent['changes'][number];

export function ChangeList({ changes }: { readonly changes: readonly Change[] }): ReactNode {
  if (changes.length === 0) return <p className={classes['nothing']}>The state is as it was before.</p>;
  return (
    <ul className={classes['diff']}>
      {changes.map((change) => (
        <li key={change.path}>
          <code className={classes['path']}>{change.path.replace(/^\$\.?/, '') || 'all'}</code>
          {'before' in change && <Line sign="−" name="was" tone="bad" value={change.before} path={change.path} />}
          {'after' in change && <Line sign="+" name="is" tone="good" value={change.after} path={change.path} />}
        </li>
      ))}
    </ul>
  );
}

interface LineProps {
  readonly sign: string;
  readonly name: string;
  readonly tone: 'good' | 'bad';
  readonly value: unknown;
  readonly path: string;
}

const Line = ({ sign, name, tone, value, path }: LineProps): ReactNode => (
  <pre className={classes['line']} data-tone={tone}>
    <span aria-hidden>{sign} </span>
    <span className="sr-only">{name}: </span>
    {jsonText(value, lastName(path))}
  </pre>
);

const lastName = (path: string): string => /(?<![A-Za-z_])([A-Za-z_]+)[^A-Za-z_]*$/.exec(path)?.[1] ?? '';

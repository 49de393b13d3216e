// JSON to be read: indented, coloured by kind, with times in milliseconds written out beside them.
import { type ReactNode, useMemo } from 'react';
import { CopyText } from '../../parts/copy.tsx';
import { visibleJson } from '../../parts/visible-json.ts';
import { utcText } from '../../parts/when.tsx';
import classes from './streams.module.css';

interface Part {
  readonly kind: 'name' | 'text' | 'number' | 'word' | 'note' | 'plain';
  readonly text: string;
}

/** The names under which states keep times, as the command line knows them. */
const TIME_NAME = /(At|By|Until|Since|^date|^dateUpdated|^at)$/;
/** 2001: no amount under such a name is as large. */
const LEAST_TIME = 1_000_000_000_000;

export function JsonView({ value, label }: { readonly value: unknown; readonly label: string }): ReactNode {
  const parts = useMemo(() => [...partsOf(value)], [value]);
  return (
    <div className={classes['json']}>
      <div className={classes['jsonCopy']}>
        <CopyText text={JSON.stringify(value, null, 2)} label={label}>
          Copy
        </CopyText>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard has to reach it */}
      <section className={classes['jsonText']} tabIndex={0} aria-label={label}>
        <pre>
          {parts.map(({ kind, text }, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text have no other name, and never move
            <span key={at} data-kind={kind}>
              {text}
            </span>
          ))}
        </pre>
      </section>
    </div>
  );
}

/** As JsonView shows it, without colours. `name`: the member that holds it. */
export const jsonText = (value: unknown, name = ''): string =>
  [...partsOf(value, '', name)].map(({ text }) => text).join('');

function* partsOf(value: unknown, indent = '', name = ''): Generator<Part, void> {
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    if (value.length === 0) return yield { kind: 'plain', text: '[]' };
    yield { kind: 'plain', text: '[\n' };
    for (const [at, item] of value.entries()) {
      yield { kind: 'plain', text: inner };
      yield* partsOf(item, inner);
      yield { kind: 'plain', text: at === value.length - 1 ? '\n' : ',\n' };
    }
    return yield { kind: 'plain', text: `${indent}]` };
  }
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value);
    if (members.length === 0) return yield { kind: 'plain', text: '{}' };
    yield { kind: 'plain', text: '{\n' };
    for (const [at, [member, its]] of members.entries()) {
      yield { kind: 'name', text: `${inner}${visibleJson(JSON.stringify(member))}` };
      yield { kind: 'plain', text: ': ' };
      yield* partsOf(its, inner, member);
      yield { kind: 'plain', text: at === members.length - 1 ? '\n' : ',\n' };
    }
    return yield { kind: 'plain', text: `${indent}}` };
  }
  if (typeof value === 'string') return yield { kind: 'text', text: visibleJson(JSON.stringify(value)) };
  if (typeof value !== 'number') return yield { kind: 'word', text: String(value) };
  yield { kind: 'number', text: String(value) };
  if (value >= LEAST_TIME && TIME_NAME.test(name)) yield { kind: 'note', text: `  ${utcText(value)}` };
}

// The rules of routing as rows to edit, in their order; then the default, and what follows a refusal. The text of the
// file is the one value, so the JSON tab always has the same rules.
import { Alert, Button } from '@mantine/core';
import { PlusIcon } from '@radix-ui/react-icons';
import type { ReactNode } from 'react';
import { FallbackFields } from './fallback-fields.tsx';
import classes from './routing.module.css';
import type { Routing } from './routing-queries.ts';
import { RuleFields } from './rule-fields.tsx';
import { fileIn, freeName, type JsonFile, moved, NotAFile, shownFile, textOfFile, withRules } from './rule-rows.ts';
import { TargetFields } from './target-fields.tsx';

interface RulesEditorProps {
  readonly routing: Routing;
  readonly text: string;
  readonly onChange: (text: string) => void;
}

/** The file, or why the text is none. */
function readText(text: string): { readonly file: JsonFile } | { readonly why: string } {
  try {
    return { file: fileIn(text) };
  } catch (fault) {
    if (fault instanceof NotAFile) return { why: fault.message };
    throw fault;
  }
}

export function RulesEditor({ routing, text, onChange }: RulesEditorProps): ReactNode {
  const read = readText(text);
  if ('why' in read) return <Unshown why={read.why} />;
  const { file } = read;
  const shown = shownFile(file);
  if (shown === undefined) return <Unshown why="The file has no list of rules." />;
  const change = (next: JsonFile): void => onChange(textOfFile(next));
  const changeRules = (rules: readonly unknown[]): void => change(withRules(file, rules));
  const raw = shown.rules.map(({ json }) => json);
  const names = routing.connections.map(({ name }) => name);
  const add = (): void =>
    changeRules([
      ...raw,
      {
        name: freeName(shown.rules.flatMap(({ row }) => row?.name ?? [])),
        when: {},
        use: [{ connection: names[0] ?? '', weight: 1 }],
        then: [],
      },
    ]);
  const mover = (place: number, by: -1 | 1) =>
    raw[place + by] === undefined ? undefined : () => changeRules(moved(raw, place, by));
  return (
    <div className={classes['editor']}>
      <ol>
        {shown.rules.map((rule, place) => (
          <RuleFields
            // biome-ignore lint/suspicious/noArrayIndexKey: a name changes while it is typed
            key={place}
            rule={rule}
            place={place}
            routing={routing}
            onChange={(row) => changeRules(raw.map((json, at) => (at === place ? row : json)))}
            onMove={{ up: mover(place, -1), down: mover(place, 1) }}
            onRemove={() => changeRules(raw.filter((_, at) => at !== place))}
          />
        ))}
      </ol>
      <Button variant="default" size="compact-sm" leftSection={<PlusIcon />} onClick={add}>
        Add rule
      </Button>
      <section className={classes['rule']} aria-label="Default">
        <h3>Every other payment</h3>
        {shown.default === undefined ? (
          <p className={classes['share']}>
            Rows cannot show the default. It stays as it is; change it in the JSON tab.
          </p>
        ) : (
          <TargetFields
            of="default"
            target={shown.default}
            names={names}
            onChange={(target) => change({ ...file, default: target })}
          />
        )}
      </section>
      {shown.fallback === undefined ? (
        <p className={classes['share']}>
          Rows cannot show what follows a refusal. It stays as it is; change it in the JSON tab.
        </p>
      ) : (
        <FallbackFields
          fallback={shown.fallback}
          refusals={routing.choices.refusals}
          onChange={(fallback) => change({ ...file, ...fallback })}
        />
      )}
    </div>
  );
}

const Unshown = ({ why }: { readonly why: string }): ReactNode => (
  <Alert color="yellow" variant="light" title="Rows cannot show these rules">
    {why} Change the text in the JSON tab.
  </Alert>
);

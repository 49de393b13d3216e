// The nine scopes, each with what it permits, as checkboxes in their groups, and templates that tick them.
import { Button, Checkbox } from '@mantine/core';
import type { ReactNode } from 'react';
import { ALL_SCOPES, SCOPE_GROUPS, SCOPE_TEMPLATES, type Scope } from './api-keys.ts';
import classes from './keys.module.css';

interface ScopePickerProps {
  readonly legend?: string;
  readonly chosen: ReadonlySet<Scope>;
  readonly onChange: (chosen: ReadonlySet<Scope>) => void;
}

export function ScopePicker({ legend = 'Scopes', chosen, onChange }: ScopePickerProps): ReactNode {
  const toggle = (scope: Scope): void => {
    const next = new Set(chosen);
    if (!next.delete(scope)) next.add(scope);
    onChange(next);
  };
  return (
    <fieldset className={classes['picker']}>
      <legend className={classes['legend']}>{legend}</legend>
      <div className={classes['all']}>
        <span>
          {chosen.size} of {ALL_SCOPES.length} chosen
        </span>
        <Button size="compact-sm" variant="subtle" onClick={() => onChange(new Set(ALL_SCOPES))}>
          All
        </Button>
        <Button size="compact-sm" variant="subtle" onClick={() => onChange(new Set())}>
          None
        </Button>
      </div>
      <div className={classes['templates']}>
        {SCOPE_TEMPLATES.map(({ label, scopes }) => {
          const isChosen = scopes.length === chosen.size && scopes.every((scope) => chosen.has(scope));
          return (
            <Button
              key={label}
              size="compact-sm"
              variant={isChosen ? 'light' : 'default'}
              aria-pressed={isChosen}
              onClick={() => onChange(new Set(scopes))}
            >
              {label}
            </Button>
          );
        })}
      </div>
      <div className={classes['scopes']}>
        {SCOPE_GROUPS.map(({ label, scopes }) => (
          <div key={label} className={classes['group']}>
            <div className={classes['groupLabel']}>{label}</div>
            {scopes.map(([scope, permits]) => (
              <Checkbox
                key={scope}
                classNames={{
                  root: classes['scope'] ?? '',
                  label: classes['scopeName'] ?? '',
                  description: classes['permits'] ?? '',
                }}
                label={scope}
                description={permits}
                checked={chosen.has(scope)}
                onChange={() => toggle(scope)}
              />
            ))}
          </div>
        ))}
      </div>
    </fieldset>
  );
}

// The rules of routing: as a list to read, their versions with who set them when, and a dialog that changes them.
import { Button, Group } from '@mantine/core';
import { Pencil1Icon, TrashIcon } from '@radix-ui/react-icons';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ConfirmDialog } from '../../../parts/confirm.tsx';
import { PageFrame } from '../../../parts/page-frame.tsx';
import { Section } from '../../../parts/section.tsx';
import { Empty, Failed, Loading } from '../../../parts/states.tsx';
import { When } from '../../../parts/when.tsx';
import { ChangeRules } from './change-rules.tsx';
import classes from './routing.module.css';
import { type Routing, type RoutingVersion, type Rules, routingQuery, setRules } from './routing-queries.ts';
import { changesIn, diffOf, fallbackWords, fileOf, targetWords, whenWords } from './rule-words.ts';

export function RoutingPage(): ReactNode {
  const { data, error, refetch } = useQuery(routingQuery);
  const [isChanging, setChanging] = useState(false);
  const [isRemoving, setRemoving] = useState(false);
  const newest = data?.versions[0];
  const hasRules = newest !== undefined && newest.rules !== null;
  const change = (
    <Button leftSection={<Pencil1Icon />} onClick={() => setChanging(true)}>
      Change rules
    </Button>
  );
  const actions = (
    <Group gap="xs">
      <Button variant="default" leftSection={<TrashIcon />} onClick={() => setRemoving(true)}>
        Remove rules
      </Button>
      {change}
    </Group>
  );
  return (
    <PageFrame
      title="Routing"
      lead="The rules that choose a processor account for each new payment. The first rule that matches counts."
      actions={hasRules && actions}
    >
      {data === undefined ? (
        error === null ? (
          <Loading height={220} what="Reading the rules" />
        ) : (
          <Failed fault={error} onRetry={() => void refetch()} />
        )
      ) : (
        <>
          <Content routing={data} button={change} />
          <ChangeRules routing={data} isOpen={isChanging} onClose={() => setChanging(false)} />
          <ConfirmDialog
            isOpen={isRemoving}
            onClose={() => setRemoving(false)}
            title="Remove the rules?"
            confirm="Remove rules"
            isDangerous
            onConfirm={() => setRules(null, newest?.version ?? 0)}
          >
            New payments will go to the account at which their card was entered, and no second account is asked after a
            refusal. Payments that have started keep their rules.
          </ConfirmDialog>
        </>
      )}
    </PageFrame>
  );
}

function Content({ routing, button }: { readonly routing: Routing; readonly button: ReactNode }): ReactNode {
  const [newest] = routing.versions;
  const rules = newest?.rules ?? null;
  const none = (
    <Empty title={newest === undefined ? 'No rules yet' : 'No rules'} action={button}>
      Without rules a payment goes to the account at which its card was entered.
    </Empty>
  );
  if (newest === undefined) return none;
  return (
    <div className={classes['parts']}>
      {rules === null ? (
        none
      ) : (
        <Section title={`Rules, version ${newest.version}`}>
          <RuleList rules={rules} />
        </Section>
      )}
      <Section title="Versions">
        <Versions versions={routing.versions} />
      </Section>
    </div>
  );
}

function RuleList({ rules }: { readonly rules: Rules }): ReactNode {
  return (
    <>
      <ol className={classes['rules']}>
        {rules.rules.map(({ name, when, ...target }) => (
          <li key={name}>
            <h3>
              <bdi>{name}</bdi>
            </h3>
            <p>{whenWords(when).join(' · ')}</p>
            <p className={classes['target']}>{targetWords(target)}</p>
          </li>
        ))}
        <li>
          <h3>Default</h3>
          <p>Every other payment</p>
          <p className={classes['target']}>{targetWords(rules.default)}</p>
        </li>
      </ol>
      <p className={classes['dim']}>{fallbackWords(rules)}</p>
    </>
  );
}

function Versions({ versions }: { readonly versions: readonly RoutingVersion[] }): ReactNode {
  const [chosen, setChosen] = useState<number>();
  return (
    <ul className={classes['versions']}>
      {versions.map((one, place) => (
        <li key={one.version}>
          <div className={classes['version']}>
            <span>
              Version {one.version}
              {one.rules === null && ' removed the rules'}, <When ms={Date.parse(one.setAt)} as="second" />, by{' '}
              <bdi>{whoOf(one)}</bdi>
            </span>
            <Button
              size="compact-sm"
              variant="default"
              aria-expanded={chosen === one.version}
              onClick={() => setChosen(chosen === one.version ? undefined : one.version)}
            >
              {chosen === one.version ? 'Hide changes' : 'Show changes'}
            </Button>
          </div>
          {chosen === one.version && <Diff before={versions[place + 1]?.rules} after={one.rules} />}
        </li>
      ))}
    </ul>
  );
}

const whoOf = ({ by: { kind, id, name } }: RoutingVersion): string =>
  name ?? (kind === 'operator' ? 'an operator at the command line' : id);

const MARKS = { same: ' ', added: '+', removed: '−', cut: ' ' } as const;

function Diff({
  before,
  after,
}: {
  readonly before: Rules | null | undefined;
  readonly after: Rules | null;
}): ReactNode {
  return (
    // a long line scrolls, and a keyboard has to reach it
    // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
    <section className={classes['diff']} aria-label="Changes" tabIndex={0}>
      {changesIn(diffOf(fileOf(before), fileOf(after))).map(({ kind, text }, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a text that does not change
        <div key={place} data-kind={kind}>
          {MARKS[kind]} {text}
        </div>
      ))}
    </section>
  );
}

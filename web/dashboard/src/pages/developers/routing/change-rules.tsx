// The dialog that changes the rules of routing, as rows or as JSON, which are two views of one file; and what they
// would have chosen for the payments of the last days, before they are set.
import { Button, Group, Modal, NativeSelect, Stack, Text, Textarea } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useRunning } from '../../../app/use-running.ts';
import { FaultLine } from '../../../parts/fault-line.tsx';
import { moneyText } from '../../../parts/money.tsx';
import { PageTabs } from '../../../parts/page-tabs.tsx';
import { SKIPPED } from '../../../parts/skip-words.ts';
import classes from './routing.module.css';
import { type Routing, setRules, type Tried, tryRules } from './routing-queries.ts';
import { fileIn } from './rule-rows.ts';
import { fileOf } from './rule-words.ts';
import { RulesEditor } from './rules-editor.tsx';

interface ChangeRulesProps {
  readonly routing: Routing;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export const ChangeRules = ({ routing, isOpen, onClose }: ChangeRulesProps): ReactNode => (
  <Modal opened={isOpen} onClose={onClose} title="Change rules" size={860}>
    <Form routing={routing} onClose={onClose} />
  </Modal>
);

/** The file to begin with: all payments to the first connection. */
const firstFile = ({ connections }: Routing): string =>
  JSON.stringify(
    {
      rules: [],
      default: { use: [{ connection: connections[0]?.name ?? '', weight: 1 }], then: [] },
      fallbackOn: [],
      never: [],
      mostAttempts: 2,
    },
    null,
    2,
  );

function Form({ routing, onClose }: Omit<ChangeRulesProps, 'isOpen'>): ReactNode {
  const [newest] = routing.versions;
  const [text, setText] = useState(() => (newest?.rules == null ? firstFile(routing) : fileOf(newest.rules)));
  const [view, setView] = useState<'rows' | 'json'>('rows');
  const [days, setDays] = useState('7');
  const [tried, setTried] = useState<{ readonly text: string; readonly days: string; readonly result: Tried }>();
  const [isTest, setTest] = useState(false);
  const set = useRunning(async () => {
    setTest(false);
    await setRules(fileIn(text), newest?.version ?? 0);
    onClose();
  });
  const trying = useRunning(async () => {
    setTest(true);
    setTried({ text, days, result: await tryRules(fileIn(text), Number(days)) });
  });
  return (
    <form onSubmit={trying.run}>
      <Stack gap="md">
        <Text>
          Your processor accounts are {routing.connections.map(({ name }) => name).join(', ')}. Rules apply to new
          payments only; the first that matches counts.
        </Text>
        <PageTabs
          chosen={view}
          onChoose={setView}
          tabs={[
            { name: 'rows', title: 'Rules', panel: <RulesEditor routing={routing} text={text} onChange={setText} /> },
            { name: 'json', title: 'JSON', panel: <FileText text={text} onChange={setText} /> },
          ]}
        />
        {/* A slow result may come after another edit. */}
        {tried?.text === text && tried.days === days && <Outcome tried={tried.result} />}
        <FaultLine fault={isTest ? trying.fault : set.fault} />
        <Group justify="space-between" align="end" gap="xs">
          <NativeSelect
            label="Test on the payments of the last"
            value={days}
            onChange={({ currentTarget }) => setDays(currentTarget.value)}
            data={['1', '7', '30', '90'].map((value) => ({ value, label: value === '1' ? 'day' : `${value} days` }))}
          />
          <Group gap="xs">
            <Button type="submit" loading={trying.isRunning}>
              Test rules
            </Button>
            <Button variant="default" loading={set.isRunning} onClick={set.run}>
              Set rules
            </Button>
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
          </Group>
        </Group>
      </Stack>
    </form>
  );
}

const FileText = ({
  text,
  onChange,
}: {
  readonly text: string;
  readonly onChange: (text: string) => void;
}): ReactNode => (
  <Textarea
    label="Rules as JSON"
    value={text}
    onChange={({ currentTarget }) => onChange(currentTarget.value)}
    classNames={{ input: classes['file'] ?? '' }}
    rows={18}
    spellCheck={false}
    autoComplete="off"
  />
);

const number = new Intl.NumberFormat();

/** A bar for each rule: its share of the payments. */
function Outcome({ tried }: { readonly tried: Tried }): ReactNode {
  const { payments, elsewhere, rules, isCut } = tried;
  return (
    <section className={classes['tried']} aria-label="What the rules would have chosen">
      <p>
        {number.format(payments)} {payments === 1 ? 'payment' : 'payments'}; {number.format(elsewhere)} would go to
        another account than before.{isCut && ' Older payments were not looked at.'}
      </p>
      <ul>
        {rules.map(({ rule, payments: count, amounts, connections, elsewhere: moved, skipped, refused }) => (
          <li key={rule}>
            <span className={classes['triedName']}>
              <bdi>{rule}</bdi>
              <span>{number.format(count)}</span>
            </span>
            <span className={classes['bar']} aria-hidden>
              <span style={{ width: `${payments === 0 ? 0 : (count / payments) * 100}%` }} />
            </span>
            {count > 0 && (
              <span className={classes['dim']}>
                {connections.map((one) => `${one.connection} ${number.format(one.payments)}`).join(', ')}
                {' · '}
                {amounts.map(moneyText).join(', ')}
                {moved > 0 && ` · ${number.format(moved)} elsewhere`}
                {refused > 0 && ` · ${number.format(refused)} refused`}
              </span>
            )}
            {skipped.map(({ connection, because, payments: passed }) => (
              <span key={`${because} ${connection}`} className={classes['dim']}>
                {connection} is skipped for {number.format(passed)}: {SKIPPED[because]}
              </span>
            ))}
          </li>
        ))}
      </ul>
    </section>
  );
}

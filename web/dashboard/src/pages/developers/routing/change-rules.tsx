// The dialog that changes the rules of routing: their file, and what it would have chosen for the payments of the last
// days, before it is set.
import { Button, Group, Modal, NativeSelect, Stack, Text, Textarea } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useRunning } from '../../../app/use-running.ts';
import { FaultLine } from '../../../parts/fault-line.tsx';
import { moneyText } from '../../../parts/money.tsx';
import { SKIPPED } from '../../../parts/skip-words.ts';
import classes from './routing.module.css';
import { type Routing, setRules, type Tried, tryRules } from './routing-queries.ts';
import { fileOf } from './rule-words.ts';

interface ChangeRulesProps {
  readonly routing: Routing;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export const ChangeRules = ({ routing, isOpen, onClose }: ChangeRulesProps): ReactNode => (
  <Modal opened={isOpen} onClose={onClose} title="Change rules" size={760}>
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

class NotAFile extends Error {}

function read(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (fault) {
    throw new NotAFile(`This is not JSON: ${fault instanceof Error ? fault.message : String(fault)}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new NotAFile('Rules are a JSON object with the members rules and default.');
  return { ...value };
}

function Form({ routing, onClose }: Omit<ChangeRulesProps, 'isOpen'>): ReactNode {
  const [newest] = routing.versions;
  const [text, setText] = useState(() => (newest?.rules == null ? firstFile(routing) : fileOf(newest.rules)));
  const [days, setDays] = useState('7');
  const [tried, setTried] = useState<{ readonly text: string; readonly days: string; readonly result: Tried }>();
  const [isTest, setTest] = useState(false);
  const set = useRunning(async () => {
    setTest(false);
    await setRules(read(text), newest?.version ?? 0);
    onClose();
  });
  const trying = useRunning(async () => {
    setTest(true);
    setTried({ text, days, result: await tryRules(read(text), Number(days)) });
  });
  return (
    <form onSubmit={set.run}>
      <Stack gap="md">
        <Text>
          Your connections are {routing.connections.map(({ name }) => name).join(', ')}. Rules apply to new payments
          only.
        </Text>
        <Textarea
          label="Rules"
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
          classNames={{ input: classes['file'] ?? '' }}
          rows={14}
          spellCheck={false}
          autoComplete="off"
          data-autofocus
        />
        <Group align="end" gap="xs">
          <NativeSelect
            label="Payments of the last"
            value={days}
            onChange={({ currentTarget }) => setDays(currentTarget.value)}
            data={['1', '7', '30', '90'].map((value) => ({ value, label: value === '1' ? 'day' : `${value} days` }))}
          />
          <Button variant="default" loading={trying.isRunning} onClick={trying.run}>
            Test rules
          </Button>
        </Group>
        {/* A slow result may come after another edit. */}
        {tried?.text === text && tried.days === days && <Outcome tried={tried.result} />}
        <FaultLine fault={isTest ? trying.fault : set.fault} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={set.isRunning}>
            Set rules
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

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

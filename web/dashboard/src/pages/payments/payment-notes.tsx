// The notes of users on a payment, newest first. A note is never altered: its author withdraws it and writes another.
import { Button, Textarea } from '@mantine/core';
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { answerOf, api } from '../../app/api.ts';
import type { components } from '../../app/api-types.d.ts';
import { KEYS } from '../../app/query-keys.ts';
import { requestKey, under } from '../../app/request-key.ts';
import { useMay, useUser } from '../../app/session.tsx';
import { ConfirmDialog } from '../../parts/confirm.tsx';
import { FaultLine } from '../../parts/fault-line.tsx';
import { Section } from '../../parts/section.tsx';
import { Failed } from '../../parts/states.tsx';
import { UtcBeside, When } from '../../parts/when.tsx';
import classes from './payment-notes.module.css';

type Note = components['schemas']['PaymentNotes']['data'][number];

const MOST_CHARACTERS = 2_000;

const notesQuery = (id: string) =>
  queryOptions({
    queryKey: [KEYS.notes, id],
    queryFn: ({ signal }) =>
      answerOf(api.GET('/dashboard/api/payments/{id}/notes', { params: { path: { id } }, signal })),
  });

export function PaymentNotes({ paymentId }: { readonly paymentId: string }): ReactNode {
  const { data, error, refetch } = useQuery(notesQuery(paymentId));
  const mayWrite = useMay('owner', 'developer', 'support');
  const [withdrawn, setWithdrawn] = useState<Note>();
  const queries = useQueryClient();
  if (!mayWrite && data?.data.length === 0) return null;
  const withdraw = async ({ note }: Note): Promise<void> => {
    const params = { path: { id: paymentId, note } };
    const left = await answerOf(api.POST('/dashboard/api/payments/{id}/notes/{note}/withdraw', { params, body: {} }));
    queries.setQueryData(notesQuery(paymentId).queryKey, left);
  };
  return (
    <Section title="Notes">
      {data === undefined && error !== null && <Failed fault={error} onRetry={() => void refetch()} />}
      {mayWrite && <NewNote paymentId={paymentId} />}
      <ul className={classes['list']}>
        {data?.data.map((note) => (
          <li key={note.note} className={classes['note']}>
            <p className={classes['text']}>{note.text}</p>
            <p className={classes['meta']}>
              <When ms={Date.parse(note.date)} />
              <UtcBeside ms={Date.parse(note.date)} />
              <Author {...note.author} />
              <Withdraw note={note} onAsk={setWithdrawn} />
            </p>
          </li>
        ))}
      </ul>
      {withdrawn !== undefined && (
        <ConfirmDialog
          isOpen
          onClose={() => setWithdrawn(undefined)}
          title="Withdraw this note?"
          confirm="Withdraw note"
          isDangerous
          onConfirm={() => withdraw(withdrawn)}
        >
          The page no longer shows it. The log keeps it, with your withdrawal.
        </ConfirmDialog>
      )}
    </Section>
  );
}

function Author({ id, email }: Note['author']): ReactNode {
  const { userId } = useUser();
  return <span>by {id === userId ? 'you' : <bdi>{email ?? id}</bdi>}</span>;
}

interface WithdrawProps {
  readonly note: Note;
  readonly onAsk: (note: Note) => void;
}

function Withdraw({ note, onAsk }: WithdrawProps): ReactNode {
  const { userId } = useUser();
  const mayAll = useMay('owner');
  if (!mayAll && note.author.id !== userId) return null;
  return (
    <Button variant="subtle" size="compact-xs" onClick={() => onAsk(note)}>
      Withdraw
    </Button>
  );
}

function NewNote({ paymentId }: { readonly paymentId: string }): ReactNode {
  const queries = useQueryClient();
  const [text, setText] = useState('');
  const [key, setKey] = useState(() => requestKey('note'));
  const [isRunning, setRunning] = useState(false);
  const [fault, setFault] = useState<Error>();
  /** Another text is another request. */
  const change = (to: string): void => {
    setText(to);
    setKey(requestKey('note'));
  };
  const add = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setRunning(true);
    setFault(undefined);
    try {
      const params = { path: { id: paymentId } };
      const notes = await answerOf(
        api.POST('/dashboard/api/payments/{id}/notes', { params, body: { text }, ...under(key) }),
      );
      queries.setQueryData(notesQuery(paymentId).queryKey, notes);
      change('');
    } catch (thrown) {
      setFault(thrown instanceof Error ? thrown : new Error(String(thrown)));
    } finally {
      setRunning(false);
    }
  };
  const isBlank = text.trim() === '';
  return (
    <form className={classes['form']} onSubmit={(event) => void add(event)}>
      <Textarea
        aria-label="New note"
        placeholder="Add a note for your colleagues"
        autosize
        minRows={1}
        maxRows={10}
        maxLength={MOST_CHARACTERS}
        value={text}
        onChange={({ currentTarget }) => change(currentTarget.value)}
        className={classes['field'] ?? ''}
      />
      <Button type="submit" variant="default" loading={isRunning} disabled={isBlank}>
        Add note
      </Button>
      <FaultLine fault={fault} />
    </form>
  );
}

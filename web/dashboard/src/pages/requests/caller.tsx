// The caller of a request, named as the page API keys names it: a key by its name and the beginning of its text; a
// checkout by its session.
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { CopiedId } from '../../parts/copied-id.tsx';
import { Cut } from '../../parts/cut.tsx';
import { shortId } from '../../parts/short-id.ts';
import { type ApiKey, keysQuery } from '../developers/keys/api-keys.ts';
import type { LoggedRequest } from './request-queries.ts';
import classes from './requests.module.css';

/** The account's keys by their ids; without those that the list of keys leaves out. */
export type KnownKeys = ReadonlyMap<string, Pick<ApiKey, 'name' | 'prefix'>>;

export function useKnownKeys(): KnownKeys {
  const { data } = useQuery(keysQuery);
  return useMemo(() => new Map(data?.data.map((key) => [key.id, key])), [data]);
}

/** `First key cf_test_2f2a2d…` */
export function keyText(id: string, keys: KnownKeys): string {
  const key = keys.get(id);
  return key === undefined ? shortId(id) : `${key.name} ${key.prefix}…`;
}

interface CallerProps {
  readonly asked: Pick<LoggedRequest, 'keyId' | 'checkoutSessionId'>;
  readonly keys: KnownKeys;
  /** In place of an id with a button. A card must not contain one. */
  readonly isText?: boolean;
}

export function Caller({ asked: { keyId, checkoutSessionId }, keys, isText = false }: CallerProps): ReactNode {
  const key = keyId === undefined ? undefined : keys.get(keyId);
  if (key !== undefined)
    return (
      <Named isText={isText}>
        <bdi>{key.name}</bdi> <code className={classes['caller']}>{key.prefix}…</code>
      </Named>
    );
  const id = keyId ?? checkoutSessionId;
  if (id === undefined) return null;
  const shown = isText ? (
    <code className={classes['caller']}>{shortId(id)}</code>
  ) : (
    <CopiedId id={id} label={keyId === undefined ? 'session id' : 'key id'} />
  );
  return keyId === undefined ? <span className={classes['checkout']}>Checkout {shown}</span> : shown;
}

const Named = ({ isText, children }: Pick<CallerProps, 'isText'> & { readonly children: ReactNode }): ReactNode =>
  isText === true ? children : <Cut>{children}</Cut>;

// When an agreement may be tried again, and why not before.
import type { ReactNode } from 'react';
import { businessNow } from '../../app/business-time.ts';
import { When } from '../../parts/when.tsx';
import type { Agreement } from './agreement-types.ts';
import { ACTION_WORDS, becauseWords } from './agreement-words.ts';
import { nextTryOf } from './next-period.ts';

export function NextTry({ agreement }: { readonly agreement: Agreement }): ReactNode {
  if (agreement.action !== undefined) return ACTION_WORDS[agreement.action];
  const next = nextTryOf(agreement);
  if (next === undefined) return '–';
  const { periodKey, retryAt, notBefore = '', because } = next;
  if (retryAt !== undefined && agreement.status === 'ACTIVE')
    return (
      <>
        <bdi>{periodKey}</bdi>: by the service, <When ms={Date.parse(retryAt)} />
      </>
    );
  const isAllowed = !(Date.parse(notBefore) > businessNow());
  const why = becauseWords(because);
  return isAllowed ? (
    <>
      <bdi>{periodKey}</bdi>: now
    </>
  ) : (
    <>
      <bdi>{periodKey}</bdi>: from <When ms={Date.parse(notBefore)} />
      {why !== undefined && `, ${why}`}
    </>
  );
}

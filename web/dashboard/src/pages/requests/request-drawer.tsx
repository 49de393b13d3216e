// One request of the log: its details, its links, and a command that sends it again.
import { Code, Drawer } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { CopyText } from '../../parts/copy.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { durationText } from '../../parts/duration.ts';
import { Facts } from '../../parts/facts.tsx';
import { PathLink } from '../../parts/path-link.tsx';
import { Failed, Loading } from '../../parts/states.tsx';
import { UtcBeside, When } from '../../parts/when.tsx';
import { Caller, useKnownKeys } from './caller.tsx';
import { type LoggedRequest, requestQuery } from './request-queries.ts';
import classes from './requests.module.css';
import { StatusCode } from './status-code.tsx';

interface RequestDrawerProps {
  /** Undefined: closed. */
  readonly id: string | undefined;
  readonly onClose: () => void;
}

export function RequestDrawer({ id, onClose }: RequestDrawerProps): ReactNode {
  return (
    <Drawer
      opened={id !== undefined}
      onClose={onClose}
      position="right"
      size="md"
      title="Request"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {id !== undefined && <Asked id={id} />}
    </Drawer>
  );
}

function Asked({ id }: { readonly id: string }): ReactNode {
  const { data, error, refetch } = useQuery(requestQuery(id));
  if (data !== undefined) return <Shown request={data} />;
  return error === null ? (
    <Loading what="Loading the request" />
  ) : (
    <Failed fault={error} onRetry={() => void refetch()} />
  );
}

function Shown({ request }: { readonly request: LoggedRequest }): ReactNode {
  const {
    method,
    route,
    status,
    errorId,
    date,
    durationMs,
    diagnosticsId,
    keyId,
    checkoutSessionId,
    paymentId,
    instrument,
  } = request;
  const keys = useKnownKeys();
  const at = Date.parse(date);
  const command = asCurl(request, location.origin);
  return (
    <div className={classes['drawer']}>
      <p className={classes['title']}>
        <StatusCode status={status} />
        <code>
          {method} {route}
        </code>
      </p>
      <Facts
        facts={[
          {
            name: 'Time',
            value: (
              <>
                <When ms={at} as="second" /> <UtcBeside ms={at} className={classes['dim']} />
              </>
            ),
          },
          { name: 'Took', value: durationText(durationMs) },
          { name: 'Error', value: errorId === undefined ? undefined : <code>{errorId}</code> },
          { name: 'Diagnostics id', value: <CopyText text={diagnosticsId} label="diagnostics id" /> },
          {
            name: 'API key',
            value: keyId !== undefined && keys.has(keyId) ? <Caller asked={request} keys={keys} isText /> : undefined,
          },
          { name: 'API key id', value: keyId === undefined ? undefined : <CopyText text={keyId} label="key id" /> },
          {
            name: 'Client session',
            value: checkoutSessionId && (
              <PathLink path={`/client-sessions/${checkoutSessionId}`}>{checkoutSessionId}</PathLink>
            ),
          },
          { name: 'Payment', value: paymentId && <PathLink path={`/payments/${paymentId}`}>{paymentId}</PathLink> },
          { name: 'Instrument', value: instrument },
        ]}
      />
      <h3>Send it again</h3>
      <Code block tabIndex={0} className={classes['code'] ?? ''}>
        {command}
      </Code>
      <CopyButton text={command} />
      <p className={classes['dim']}>Bodies, queries and credentials are not kept.</p>
    </div>
  );
}

const WITH_BODY = ['POST', 'PATCH', 'PUT'];

/** For a shell where $KEY, or $CLIENT_TOKEN of a checkout, is set. */
function asCurl({ method, route, paymentId, checkoutSessionId }: LoggedRequest, origin: string): string {
  const path = route.replace(/:(\w+)/g, (_, name: string) =>
    name === 'id' && paymentId !== undefined ? paymentId : `<${name}>`,
  );
  const credentials = checkoutSessionId === undefined ? '-H "X-Api-Key: $KEY"' : '-H "X-Client-Token: $CLIENT_TOKEN"';
  const verb = method === 'GET' ? '' : `-X ${method} `;
  const body = WITH_BODY.includes(method) ? " \\\n  -H 'Content-Type: application/json' \\\n  -d '{ … }'" : '';
  return `curl -sS ${verb}'${origin}${path}' \\\n  ${credentials}${body}`;
}

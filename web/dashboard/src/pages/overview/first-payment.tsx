// The page of an account without payments: how to create the first one.
import { Code } from '@mantine/core';
import type { ReactNode } from 'react';
import { useMay } from '../../app/session.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { PathLink } from '../../parts/path-link.tsx';
import classes from './overview.module.css';

const curl = (origin: string): string => `curl -s ${origin}/client-session \\
  -H "X-Api-Key: $KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{"orderId": "order-1", "currencyCode": "EUR", "order": {"lineItems": [{"itemId": "shirt", "amount": 2500, "quantity": 2}]}}'`;
const DEMO = 'npx counterfoil demo';

export function FirstPayment(): ReactNode {
  const mayMakeKeys = useMay('owner', 'developer');
  const mayMakeLinks = useMay('owner', 'support');
  const command = curl(location.origin);
  return (
    <div className={classes['first']}>
      <h2>Create your first payment</h2>
      <p>Figures appear here once the account has a payment. This page updates automatically.</p>
      <ol className={classes['steps']}>
        {mayMakeLinks && (
          <li>
            <h3>Create a payment link</h3>
            <p>
              No code is needed: <PathLink path="/payment-links?create=yes">create a payment link</PathLink>, open its
              page, and pay.
            </p>
          </li>
        )}
        <li>
          <h3>Run the demo</h3>
          <p>
            While the service is running, this command creates a session, a card token, a payment, its capture and a
            refund, and shows each request.
          </p>
          <div className={classes['command']}>
            <Code block tabIndex={0}>
              {DEMO}
            </Code>
            <CopyButton text={DEMO} />
          </div>
        </li>
        <li>
          <h3>Create one yourself</h3>
          <p>
            {mayMakeKeys ? (
              <>
                Create an API key under <PathLink path="/developers/keys">API keys</PathLink>, and open a checkout with
                it.{' '}
              </>
            ) : (
              'Ask a developer of the account for an API key, and open a checkout with it. '
            )}
            The guide to <a href="/docs/first-payment">the first payment</a> has the next steps.
          </p>
          <div className={classes['command']}>
            <Code block tabIndex={0}>
              {command}
            </Code>
            <CopyButton text={command} />
          </div>
        </li>
      </ol>
    </div>
  );
}

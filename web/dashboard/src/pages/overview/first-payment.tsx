// What a new account sees in place of figures: how the first payment is made.
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
  const command = curl(location.origin);
  return (
    <div className={classes['first']}>
      <h2>Make the first payment</h2>
      <p>Figures stand here as soon as the account has a payment. This page notices by itself.</p>
      <ol className={classes['steps']}>
        <li>
          <h3>See one made for you</h3>
          <p>
            Beside the running service, this makes a session, a card token, a payment, its capture and a refund, and shows each request.
          </p>
          <div className={classes['command']}>
            <Code block tabIndex={0}>
              {DEMO}
            </Code>
            <CopyButton text={DEMO} />
          </div>
        </li>
        <li>
          <h3>Make one yourself</h3>
          <p>
            {mayMakeKeys ? (
              <>
                Take an API key from <PathLink path="/developers/keys">API keys</PathLink>, and open a checkout with it.{' '}
              </>
            ) : (
              'A developer of the account has an API key, and opens a checkout with it. '
            )}
            The guide to <a href="/docs/first-payment">the first payment</a> has the steps after it.
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

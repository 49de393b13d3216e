// Webhooks: the account's endpoints, and the incoming URLs of processors that cannot send a header.
import { Button } from '@mantine/core';
import { PlusIcon } from '@radix-ui/react-icons';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { PageFrame } from '../../../parts/page-frame.tsx';
import { PageTabs } from '../../../parts/page-tabs.tsx';
import { EndpointsTab } from './endpoints-tab.tsx';
import { IncomingTab } from './incoming-tab.tsx';
import { ResendUntaken } from './resend-untaken.tsx';
import { endpointsQuery } from './webhook-queries.ts';

const route = getRouteApi('/app/developers/webhooks');

export function WebhooksPage(): ReactNode {
  const { tab = 'endpoints', health } = route.useSearch();
  const navigate = route.useNavigate();
  const [isAdding, setAdding] = useState(false);
  const [isResending, setResending] = useState(false);
  const { data } = useQuery(endpointsQuery);
  const mayResend = tab === 'endpoints' && data?.data.some(({ state }) => state === 'enabled') === true;
  const adding = { isAdding, onAdd: () => setAdding(true), onAdded: () => setAdding(false) };
  return (
    <PageFrame
      title="Webhooks"
      lead={
        tab === 'incoming'
          ? 'A processor that cannot send a header sends its notifications to a URL of its own, which acts as an API key.'
          : 'Counterfoil sends your backend a signed message about every outcome of a payment, and retries until it is accepted.'
      }
      actions={
        <>
          {mayResend && (
            <Button variant="default" onClick={() => setResending(true)}>
              Resend all…
            </Button>
          )}
          <Button leftSection={<PlusIcon />} onClick={adding.onAdd}>
            {tab === 'incoming' ? 'Create URL' : 'Add endpoint'}
          </Button>
        </>
      }
    >
      <PageTabs
        chosen={tab}
        onChoose={(next) => void navigate({ search: next === 'incoming' ? { tab: next } : {} })}
        tabs={[
          { name: 'endpoints', title: 'Endpoints', panel: <EndpointsTab {...adding} health={health} /> },
          { name: 'incoming', title: 'Incoming URLs', panel: <IncomingTab {...adding} /> },
        ]}
      />
      {isResending && <ResendUntaken onClose={() => setResending(false)} />}
    </PageFrame>
  );
}

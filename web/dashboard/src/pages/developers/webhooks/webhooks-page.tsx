// Webhooks: out, the account's endpoints, and in, the URLs of processors that cannot send a header.
import { Button } from '@mantine/core';
import { PlusIcon } from '@radix-ui/react-icons';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { PageFrame } from '../../../parts/page-frame.tsx';
import { PageTabs } from '../../../parts/page-tabs.tsx';
import { EndpointsTab } from './endpoints-tab.tsx';
import { IncomingTab } from './incoming-tab.tsx';

const route = getRouteApi('/app/developers/webhooks');

export function WebhooksPage(): ReactNode {
  const { tab = 'endpoints' } = route.useSearch();
  const navigate = route.useNavigate();
  const [isAdding, setAdding] = useState(false);
  const adding = { isAdding, onAdd: () => setAdding(true), onAdded: () => setAdding(false) };
  return (
    <PageFrame
      title="Webhooks"
      lead={
        tab === 'incoming'
          ? 'A processor that cannot send a header tells its notifications on a URL of its own, which stands for an API key.'
          : 'Your backend is told what became of a payment, signed, until it takes the message.'
      }
      actions={
        <Button leftSection={<PlusIcon />} onClick={adding.onAdd}>
          {tab === 'incoming' ? 'Make URL' : 'Add endpoint'}
        </Button>
      }
    >
      <PageTabs
        chosen={tab}
        onChoose={(next) => void navigate({ search: next === 'incoming' ? { tab: next } : {} })}
        tabs={[
          { name: 'endpoints', title: 'Endpoints', panel: <EndpointsTab {...adding} /> },
          { name: 'incoming', title: 'Incoming URLs', panel: <IncomingTab {...adding} /> },
        ]}
      />
    </PageFrame>
  );
}

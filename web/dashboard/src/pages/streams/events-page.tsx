// Developers, Events: the streams of the account, for roles that do not operate the service as well.
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { PageFrame } from '../../parts/page-frame.tsx';
import { NewestEvents } from './newest-events.tsx';
import { StreamsPanel } from './streams-panel.tsx';

const route = getRouteApi('/app/developers/events');

export function EventsPage(): ReactNode {
  const { stream, revision } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <PageFrame title="Events" lead="Every recorded event in its order, and the state after each one.">
      <StreamsPanel
        isAlone={false}
        stream={stream}
        revision={revision}
        onShow={(name, at, isStep) =>
          void navigate({
            search: { ...(name !== undefined && { stream: name }), ...(at !== undefined && { revision: at }) },
            replace: isStep,
            resetScroll: false,
          })
        }
      />
      {stream === undefined && (
        <NewestEvents
          onShow={(name, at) => void navigate({ search: { stream: name, revision: at }, resetScroll: false })}
        />
      )}
    </PageFrame>
  );
}

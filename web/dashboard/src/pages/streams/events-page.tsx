// Developers, Events: the streams of the account, for roles that do not operate the service as well.
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { PageFrame } from '../../parts/page-frame.tsx';
import { NewestEvents } from './newest-events.tsx';
import { StreamsPanel } from './streams-panel.tsx';

const route = getRouteApi('/app/developers/events');

export function EventsPage(): ReactNode {
  const { stream, revision, ...listed } = route.useSearch();
  const { show, ...times } = listed;
  const navigate = route.useNavigate();
  return (
    <PageFrame
      title="Events"
      lead={
        stream === undefined
          ? show === undefined
            ? 'What happened in the account, newest first, without the service’s own events. A stream shows every event, and the state after each one.'
            : 'Every recorded event of the account, newest first. A stream shows the state after each event.'
          : 'Every recorded event of a stream in its order, and the state after each one.'
      }
    >
      <StreamsPanel
        isAlone={false}
        stream={stream}
        revision={revision}
        onShow={(name, at, isStep) =>
          void navigate({
            search: {
              ...listed,
              ...(name !== undefined && { stream: name }),
              ...(at !== undefined && { revision: at }),
            },
            replace: isStep,
            resetScroll: false,
          })
        }
      />
      {stream === undefined && (
        <NewestEvents
          showsAll={show === 'all'}
          onShowAll={(showsAll) =>
            void navigate({
              search: { ...times, ...(showsAll && { show: 'all' as const }) },
              replace: true,
              resetScroll: false,
            })
          }
          times={times}
          onTimes={(next) =>
            void navigate({
              search: { ...next, ...(show !== undefined && { show }) },
              replace: true,
              resetScroll: false,
            })
          }
          onShow={(name, at) =>
            void navigate({ search: { ...listed, stream: name, revision: at }, resetScroll: false })
          }
        />
      )}
    </PageFrame>
  );
}

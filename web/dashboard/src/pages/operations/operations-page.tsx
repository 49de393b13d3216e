// Operations: the state of the service, and the work that needs an operator.
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { PageFrame } from '../../parts/page-frame.tsx';
import { PageTabs } from '../../parts/page-tabs.tsx';
import { StreamsPanel } from '../streams/streams-panel.tsx';
import { NodesTab } from './nodes-tab.tsx';
import classes from './operations.module.css';
import { ParkedNotifications } from './parked-notifications.tsx';
import { ParkedStreams } from './parked-streams.tsx';
import { ProjectionsTab } from './projections-tab.tsx';

const route = getRouteApi('/app/operations');

export function OperationsPage(): ReactNode {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { tab = 'projections' } = search;
  const showStream = (stream: string | undefined, revision: number | undefined, isStep: boolean): void =>
    void navigate({
      search: { tab: 'streams', ...(stream !== undefined && { stream }), ...(revision !== undefined && { revision }) },
      replace: isStep,
      resetScroll: false,
    });
  return (
    <PageFrame
      title="Operations"
      lead="Read models, work that needs an operator, the event log, and running processes."
    >
      <PageTabs
        chosen={tab}
        onChoose={(next) => void navigate({ search: { tab: next } })}
        tabs={[
          {
            name: 'projections',
            title: 'Projections',
            panel: (
              <ProjectionsTab
                rebuild={search.rebuild}
                onRebuild={(rebuild) =>
                  void navigate({ search: { tab: 'projections', ...(rebuild !== undefined && { rebuild }) } })
                }
              />
            ),
          },
          { name: 'parked', title: 'Parked', panel: <ParkedTab /> },
          {
            name: 'streams',
            title: 'Streams',
            panel: <StreamsPanel stream={search.stream} revision={search.revision} onShow={showStream} />,
          },
          { name: 'nodes', title: 'Processors & nodes', panel: <NodesTab /> },
        ]}
      />
    </PageFrame>
  );
}

/** The work that needs an operator. */
const ParkedTab = (): ReactNode => (
  <>
    <section className={classes['section']}>
      <h2>Streams</h2>
      <p>An event could not be projected. Later events of its stream wait; every other stream flows.</p>
      <ParkedStreams />
    </section>
    <section className={classes['section']}>
      <h2>Notifications</h2>
      <p>
        A processor reported on an unknown payment, or contradicted itself. Most notifications are retried automatically
        for 30 days.
      </p>
      <ParkedNotifications />
    </section>
  </>
);

// The dashboard's Operations area: streams, read models, parked work, processes and processors.
import { makeOwnStreams } from '../../../queries/streams/own-streams.ts';
import type { Route } from '../../route.ts';
import { type NewestEventNeeds, newestEventRoutes } from './events.ts';
import { type NodeRouteNeeds, nodeRoutes } from './nodes.ts';
import { type ParkedRouteNeeds, parkedRoutes } from './parked.ts';
import { type ProjectionRouteNeeds, projectionRoutes } from './projections.ts';
import { streamRoutes } from './streams.ts';

export type OperationsNeeds = NodeRouteNeeds & ParkedRouteNeeds & ProjectionRouteNeeds & NewestEventNeeds;

export const operationsRoutes = (needs: OperationsNeeds): readonly Route[] => [
  ...newestEventRoutes(needs),
  ...streamRoutes(makeOwnStreams(needs.events)),
  ...projectionRoutes(needs),
  ...parkedRoutes(needs),
  ...nodeRoutes(needs),
];

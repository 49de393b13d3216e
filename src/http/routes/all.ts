// Every route that there is: what the router mounts, the description prints and the tests walk.

import type { ApiService, SandboxInspection } from '../api-service.ts';
import type { Route } from '../route.ts';
import { checkoutRoutes } from './checkout.ts';
import { clientSessionRoutes } from './client-session.ts';
import { paymentInstrumentRoutes } from './payment-instruments.ts';
import { paymentRoutes } from './payments.ts';
import { publicRoutes } from './public.ts';
import { sandboxRoutes } from './sandbox.ts';
import { webhookRoutes } from './webhooks.ts';

export interface RouteParts {
  readonly service: ApiService;
  /** In test mode only. */
  readonly sandbox?: SandboxInspection;
  /** The bundle of the /docs page. */
  readonly docsScript: Uint8Array;
}

/** In the order in which the router tries them: the ones that are called most come first. */
export function allRoutes({ service, sandbox, docsScript }: RouteParts): readonly Route[] {
  const api = [
    ...clientSessionRoutes(service),
    ...paymentRoutes(service),
    ...checkoutRoutes(service),
    ...paymentInstrumentRoutes(service),
    ...webhookRoutes(service),
    ...(sandbox === undefined ? [] : sandboxRoutes(sandbox)),
  ];
  return publicRoutes(service, api, docsScript);
}

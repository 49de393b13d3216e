// The decisions on an act: it is put on record once.
import { accept, type Decision } from '../decider.ts';
import type { ActEvent } from './events.ts';
import type { Act } from './state.ts';

/** On record already: nothing. */
export const requestAct =
  (request: ActEvent) =>
  (act: Act): Decision<ActEvent> =>
    act.status === 'absent' ? accept(request) : accept();

/** Released from there on already, or from an earlier revision: nothing. */
export const requestRelease =
  (data: Extract<ActEvent, { type: 'ParkedStreamReleaseRequested' }>['data']) =>
  (act: Act): Decision<ActEvent> =>
    act.status === 'requested' && act.releasedFrom !== undefined && act.releasedFrom <= data.revision
      ? accept()
      : accept({ type: 'ParkedStreamReleaseRequested', data });

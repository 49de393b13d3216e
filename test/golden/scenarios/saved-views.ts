// Views that the users of an account share: two, of which the first is removed.
import { savedViewCategory } from '../../../src/domain/saved-view.ts';
import { AWKWARD_TEXT } from './awkward.ts';
import { type Scenario, scenario } from './scenario.ts';

const search = { status: 'DECLINED,FAILED', customer_id: AWKWARD_TEXT };

export const savedViewScenarios: readonly Scenario[] = [
  scenario(savedViewCategory, 'acc_golden', [
    { type: 'ViewSaved', data: { author: 'usr_golden', list: 'payments', name: AWKWARD_TEXT, search } },
    { type: 'ViewSaved', data: { author: 'usr_golden', list: 'disputes', name: 'Open', search: { status: 'OPEN' } } },
    { type: 'ViewRemoved', data: { view: 0 } },
  ]),
];

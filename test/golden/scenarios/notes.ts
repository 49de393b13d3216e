// Notes on a payment: two, of which the first is withdrawn.
import { paymentNoteCategory } from '../../../src/domain/payment-note.ts';
import { AWKWARD_TEXT } from './awkward.ts';
import { type Scenario, scenario } from './scenario.ts';

export const noteScenarios: readonly Scenario[] = [
  scenario(paymentNoteCategory, 'pay_golden', [
    { type: 'NoteAdded', data: { author: 'usr_golden', text: AWKWARD_TEXT } },
    { type: 'NoteAdded', data: { author: 'usr_golden', text: 'Delivered on Monday.' } },
    { type: 'NoteWithdrawn', data: { note: 0 } },
  ]),
];

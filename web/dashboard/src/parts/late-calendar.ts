// The calendar, which most visits never open, is loaded on demand.
import { latePage } from '../app/late-page.tsx';

export const LateCalendar = latePage(async () => (await import('./calendar.tsx')).Calendar);

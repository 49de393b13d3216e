// Sets the reader's colour scheme before the page is drawn, so that no light page flashes in the dark.
import { showScheme } from './colour-scheme.ts';

showScheme();

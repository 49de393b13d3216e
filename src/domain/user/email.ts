// The e-mail of a user as it is compared and kept.

/** One e-mail, one user: without the case and the spaces around it. */
export const plainEmail = (text: string): string => text.trim().normalize('NFC').toLowerCase();

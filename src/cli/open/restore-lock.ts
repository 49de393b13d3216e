// The mark of a restore that is not finished, which the start of a service and the restore itself know.

/** A file in the data directory while a restore is at work there: its lock, which stays if the restore is killed. */
export const RESTORE_LOCK = 'restore-unfinished';

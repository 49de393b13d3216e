// Amounts that the threads of the engine's tests do not survive, or cannot fold.

export const UNFOLDABLE = 13;
/** The thread that meets it dies. */
export const DEADLY = 666;

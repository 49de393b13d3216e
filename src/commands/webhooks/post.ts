// One call of a merchant's receiver: made once, to an address that was looked at first, and never redirected
// (contract §8).

export interface PostCall {
  readonly url: string;
  readonly headers: { readonly [name: string]: string };
  readonly body: string;
}

/** `fault`: why there was no answer, for people, without anything of the request. */
export type Posted =
  | { readonly status: number; readonly body: string }
  /** `isUnsent`: nothing of it left, because nobody was there to take it. */
  | { readonly fault: string; readonly isUnsent?: boolean };

/** Never throws, never repeats. The signal is the deadline. */
export type Post = (call: PostCall, signal: AbortSignal) => Promise<Posted>;

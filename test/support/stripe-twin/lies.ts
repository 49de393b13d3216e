// What a lying twin does otherwise than Stripe. Each lie must turn an expectation red.
export const LIES = [
  /** Each endpoint has idempotency keys of its own. */
  'key_per_endpoint',
  /** The second use of a key gets the first response, whatever its parameters are. */
  'key_ignores_parameters',
  /** A key replays nothing. */
  'key_ignored',
  'key_never_pruned',
  /** A second request executes while the first with its key runs. */
  'key_never_in_use',
  'server_error_not_saved',
  'card_error_not_saved',
  'validation_error_saved',
  'replay_not_marked',
  /** Two requests on one PaymentIntent run at once. */
  'no_lock',
  /** The response to a cancellation that released money shows no charge. */
  'cancel_hides_charge',
  /** A captured PaymentIntent can be canceled, and nothing comes back. */
  'cancel_after_capture',
  /** A PaymentIntent whose confirmation failed is canceled. */
  'final_decline',
  'search_without_lag',
  /** A read shows the state of a minute ago. */
  'stale_read',
  'no_expiry',
  /** A confirmation token can be used again. */
  'token_reusable',
  'token_never_expires',
  'unknown_parameter_accepted',
  'refunds_oldest_first',
  'refund_beyond_capture',
  'capture_beyond_authorization',
  'increment_after_capture',
  /** ISK and UGX may have digits after the point. */
  'iso_digits',
  /** Webhooks are signed with another secret. */
  'wrong_signature',
] as const;
export type Lie = (typeof LIES)[number];

// What the HTTP layer asks of the service; service.ts above builds it.
import type { KeyHolder, SessionHolder } from '../commands/authenticate.ts';
import type { World } from '../world.ts';

export interface Authentication {
  /**
   * Undefined for a text that is malformed, unknown, expired or revoked at `at` (ms). A change to a key holds at once (contract §2);
   * what is known without a read is answered without a promise, because every request asks.
   */
  apiKey(text: string, at: number): KeyHolder | undefined | Promise<KeyHolder | undefined>;
  /** Undefined for a token that is forged or expired. */
  clientToken(text: string, at: number): SessionHolder | undefined;
}

export interface Readiness {
  readonly ready: boolean;
  /** What is away or has stopped, for operators. */
  readonly reasons: readonly string[];
}

/** What the frame needs, whatever routes there are. */
export interface FrameService {
  readonly authentication: Authentication;
  readonly world: World;
  readiness(): Readiness;
}

// The token in a path of POST /webhooks: `<key id>_<secret>`, for processors that cannot send a header (contract §8).

const SHAPE = /^([0-9a-f]{32})_([0-9a-f]{64})$/;

interface WebhookToken {
  /** `key_…`: the key that it stands for. */
  readonly keyId: string;
  /** 256 bits in hex. */
  readonly secret: string;
}

export const formatWebhookToken = ({ keyId, secret }: WebhookToken): string =>
  `${keyId.slice('key_'.length)}_${secret}`;

/** Undefined for a text that is no such token. */
export function parseWebhookToken(text: string): WebhookToken | undefined {
  const [, id, secret] = SHAPE.exec(text) ?? [];
  return id === undefined || secret === undefined ? undefined : { keyId: `key_${id}`, secret };
}

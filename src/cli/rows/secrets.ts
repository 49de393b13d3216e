// counterfoil secrets
import { command } from '../command.ts';

export const secrets = {
  rotate: command({
    usage: 'rotate',
    summary: 'Put a new master secret in front of the old ones, which still verify',
    examples: ['secrets rotate'],
    rules: [
      'The new secret signs from the next start on; the old ones still verify. With secret.key the file is replaced in one step and read back, and the store key is wrapped by the new secret (StoreKeyRewrapped). With COUNTERFOIL_SECRET it prints the new list and changes nothing.',
    ],
    json: '{file, older}, or {secret, file: null}',
  }),
  rewrap: command({
    usage: 'rewrap',
    summary: 'Encrypt the keys of personal data under the newest master secret, and say what still needs an older one',
    examples: ['secrets rewrap'],
    rules: [
      'Encrypts the keys of personal data under the newest secret, beside running services that have it. Each key is read back and compared; the next run finishes an interrupted one.',
      'When all are bound, the store refuses a key that is not, from the next start of each process on; every node must have this version by then. Exits 1 if keys open with none of the secrets.',
    ],
    json: '{keys, rewrapped, unopened, older, rotatedAt, apiKeys, incomingWebhooks, recoveryCodes, endsAt}',
  }),
};

// Every setting: its names, default, meaning and allowed values, as people read them.
import { join } from 'node:path';

export interface Setting {
  /** The environment variable. */
  readonly variable: string;
  /** As commander reads it; a secret has none, because a command line is visible to everybody on the machine. */
  readonly flag?: string;
  readonly meaning: string;
  /** The allowed values, in words. */
  readonly allowed: string;
  /** The default as text; undefined: there is none, and `unset` describes that case. */
  readonly fallback?: string | ((dataDir: string) => string);
  readonly unset?: string;
}

// The forms of store-urls.ts, in words here: each start of the command line loads this file.
export const EVENT_STORE_ALLOWED =
  'sqlite:<path of a file>, or an EventStoreDB connection string: esdb://<host:port> (several hosts separated by commas) or esdb+discover://<host:port>';
export const READ_MODELS_ALLOWED =
  'sqlite:<path of a file that ends in .db>, or a MongoDB connection string: mongodb://<host:port> (several hosts separated by commas) or mongodb+srv://<host>';

const STORE_FALLBACK = (file: string) => (dataDir: string) => `sqlite:${join(dataDir, file)}`;

const KEPT_DAYS = 'a whole number of days from 1 to 3650, or forever';

/** In the order in which they are listed for people. */
export const SETTINGS = {
  host: {
    variable: 'COUNTERFOIL_HOST',
    flag: '--host <address>',
    meaning: 'address that HTTP listens on',
    allowed: 'a host name or address',
    fallback: '127.0.0.1',
  },
  port: {
    variable: 'COUNTERFOIL_PORT',
    flag: '--port <number>',
    meaning: 'port that HTTP listens on; 0 chooses a free port and prints it',
    allowed: 'a whole number from 0 to 65535',
    fallback: '4000',
  },
  dataDir: {
    variable: 'COUNTERFOIL_DATA_DIR',
    flag: '--data-dir <path>',
    meaning: 'directory of the embedded stores and the generated secret',
    allowed: 'the path of a directory',
    fallback: 'data',
  },
  eventStore: {
    variable: 'COUNTERFOIL_EVENT_STORE',
    flag: '--event-store <url>',
    meaning: 'the event log: a file, or an EventStoreDB',
    allowed: EVENT_STORE_ALLOWED,
    fallback: STORE_FALLBACK('events.db'),
  },
  readModels: {
    variable: 'COUNTERFOIL_READ_MODELS',
    flag: '--read-models <url>',
    meaning: 'the read models: files, or a MongoDB',
    allowed: READ_MODELS_ALLOWED,
    fallback: STORE_FALLBACK('read-models.db'),
  },
  keyStore: {
    variable: 'COUNTERFOIL_KEY_STORE',
    meaning: 'the keys of personal data: a file, or a MongoDB',
    allowed: READ_MODELS_ALLOWED,
    unset: 'next to an embedded event log; otherwise in the MongoDB of the read models, or in <data dir>/keys.db',
  },
  storeWait: {
    variable: 'COUNTERFOIL_STORE_WAIT',
    flag: '--store-wait <seconds>',
    meaning: 'how long to wait for an EventStoreDB or MongoDB that is still starting',
    allowed: 'a whole number of seconds from 0 to 3600',
    fallback: '30',
  },
  mode: {
    variable: 'COUNTERFOIL_MODE',
    flag: '--mode <mode>',
    meaning: 'which API keys are accepted; the sandbox processor exists in test mode only',
    allowed: 'test or live',
    fallback: 'test',
  },
  secret: {
    variable: 'COUNTERFOIL_SECRET',
    meaning: 'the master secret; or several, separated by commas: the first one signs, all of them verify',
    allowed: '32 bytes as base64url (43 characters), or several of them separated by commas',
    unset: 'created at the first start in <data dir>/secret.key; required in live mode and for stores that nodes share',
  },
  publicUrl: {
    variable: 'COUNTERFOIL_PUBLIC_URL',
    flag: '--public-url <url>',
    meaning: 'the URL of the service for browsers; used in links and webhooks',
    allowed:
      'an http:// or https:// URL without path, query and fragment, because the pages load their files from its root',
    unset: 'the address that the service listens on',
  },
  rateLimit: {
    variable: 'COUNTERFOIL_RATE_LIMIT',
    flag: '--rate-limit <number>',
    meaning: 'requests a second for each key; 0 turns off every limit, including those against card testing',
    allowed: 'a whole number from 0 to 1000000',
    fallback: '500',
  },
  workers: {
    variable: 'COUNTERFOIL_WORKERS',
    flag: '--workers <number>',
    meaning: 'processes that share the port; max: one for each core',
    allowed: 'a whole number from 1 to 64, or max',
    fallback: '1',
  },
  unreadySeconds: {
    variable: 'COUNTERFOIL_UNREADY_SECONDS',
    meaning: 'how long a node that stops is not ready before it closes its port, so that a balancer sends it nothing',
    allowed: 'a whole number of seconds from 0 to 300',
    fallback: '0',
  },
  trustedProxies: {
    variable: 'COUNTERFOIL_TRUSTED_PROXIES',
    flag: '--trusted-proxies <list>',
    meaning: 'proxies in front whose X-Forwarded-For is trusted; limits against card testing count by address',
    allowed: 'addresses and networks such as 10.0.0.0/8, separated by commas',
    unset: 'X-Forwarded-For is ignored; the connecting address is used',
  },
  logLevel: {
    variable: 'COUNTERFOIL_LOG_LEVEL',
    flag: '--log-level <level>',
    meaning: 'what is logged to stderr: JSON lines, or readable lines if stderr is a terminal',
    allowed: 'fatal, error, warn, info, debug, trace or silent',
    fallback: 'info',
  },
  sandboxUrl: {
    variable: 'COUNTERFOIL_SANDBOX_URL',
    flag: '--sandbox-url <url>',
    meaning: "another node's sandbox, for nodes without a shared data directory; test mode only",
    allowed: 'the http:// or https:// URL of the node that has the sandbox, without credentials, query and fragment',
    unset: 'in the process, with its ledger in the data directory',
  },
  checkpointEvery: {
    variable: 'COUNTERFOIL_CHECKPOINT_EVERY',
    flag: '--checkpoint-every <time>',
    meaning: 'how often the service records a signed checkpoint of the log; off: never',
    allowed: 'a whole number and a unit from 1m to 30d, such as 1h; 0 or off',
    fallback: '1h',
  },
  idempotencyDays: {
    variable: 'COUNTERFOIL_IDEMPOTENCY_DAYS',
    meaning: 'how long an idempotency key stands for its first request, in days',
    allowed: 'a whole number of days from 30, which the API promises, to 3650',
    fallback: '30',
  },
  requestLogDays: {
    variable: 'COUNTERFOIL_REQUEST_LOG_DAYS',
    meaning: 'how long a request stays in the request log, in days',
    allowed: KEPT_DAYS,
    fallback: '30',
  },
  deliveryDays: {
    variable: 'COUNTERFOIL_DELIVERY_DAYS',
    meaning: 'how long deliveries that are over stay in the lists, in days',
    allowed: KEPT_DAYS,
    fallback: '90',
  },
  signInDays: {
    variable: 'COUNTERFOIL_SIGN_IN_DAYS',
    meaning: 'how long an expired sign-in session stays with its user, in days',
    allowed: KEPT_DAYS,
    fallback: '30',
  },
  metricsPort: {
    variable: 'COUNTERFOIL_METRICS_PORT',
    flag: '--metrics-port <number>',
    meaning: 'port for Prometheus metrics; 0 chooses a free port',
    allowed: 'a whole number from 0 to 65535',
    unset: 'off',
  },
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof SETTINGS;

const isSettingName = (name: string): name is SettingName => name in SETTINGS;
export const SETTING_NAMES: readonly SettingName[] = Object.keys(SETTINGS).filter(isSettingName);

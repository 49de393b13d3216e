// The checks of counterfoil doctor: each compares the settings with the findings about the machine and its network.
import { isIP } from 'node:net';
import { type Config, cautions } from '../../config.ts';
import { REVIEW_BY } from '../../domain/retry-ledger/network-rules.ts';
import { among } from '../../http/checks/ip-network.ts';
import { MAX_CONNECTIONS } from '../../http/server.ts';
import { SETTINGS } from '../../settings.ts';
import { type EventStoreUrl, type ReadModelsUrl, shownUrl } from '../../store-urls.ts';
import { formatTime } from '../../world.ts';
import type { KeysFound } from '../open/keys-of-log.ts';

const CHECKS = [
  'publicUrl',
  'trustedProxies',
  'memory',
  'tls',
  'openFiles',
  'dataDir',
  'clock',
  'stores',
  'log',
  'keys',
  'conservation',
  'retention',
] as const;
type CheckName = (typeof CHECKS)[number];

/** The result of a check: one sentence if all is well, or one for each problem. */
export interface Checked {
  readonly check: CheckName;
  readonly isFine: boolean;
  readonly sentences: readonly string[];
}

const checked = (check: CheckName, findings: readonly string[], fine: string): Checked => ({
  check,
  isFine: findings.length === 0,
  sentences: findings.length === 0 ? [fine] : findings,
});

/** What responds at the public URL. */
export type UrlAnswer =
  /** `date`: the time of the clock there, ms; undefined if the answer has none. */
  | { readonly kind: 'counterfoil'; readonly date: number | undefined }
  | { readonly kind: 'moved'; readonly to: string }
  | { readonly kind: 'other'; readonly what: string }
  /** Its certificate was refused. */
  | { readonly kind: 'untrusted'; readonly why: string }
  | { readonly kind: 'unreachable'; readonly why: string };

/** True for every address of 127.0.0.0/8, of IPv6, and for the name of both. */
const isLoopback = (host: string): boolean => /^(?:localhost|127(?:\.\d+){3}|\[?::1\]?)$/i.test(host);

/** True if others than this machine are to reach the service: by its address, through a proxy, or in live mode. */
const isForOthers = ({ host, mode, publicUrl, trustedProxies }: Config): boolean =>
  mode === 'live' || publicUrl !== undefined || trustedProxies.length > 0 || !isLoopback(host);

/** `answer`: of the public URL that is set; undefined if none is. */
export function checkPublicUrl(config: Config, answer: UrlAnswer | undefined): Checked {
  const { variable } = SETTINGS.publicUrl;
  const { publicUrl } = config;
  if (publicUrl === undefined || answer === undefined) {
    const findings = isForOthers(config)
      ? [
          `${variable} is not set, and other machines can reach the service: links lead to an address that works only on this machine.`,
        ]
      : [];
    return checked('publicUrl', findings, 'Not set: links lead to the address that the service listens on.');
  }
  const findings: string[] = [];
  const { hostname, origin } = new URL(publicUrl);
  if (!/[.:]/.test(hostname) && !isLoopback(hostname)) {
    findings.push(
      `${variable} is ${publicUrl}: a name without a dot works only on its own network. Browsers that use another name cannot sign in (403).`,
    );
  }
  if (answer.kind === 'unreachable')
    findings.push(`${variable} is ${publicUrl}, which does not respond to this machine: ${answer.why}.`);
  if (answer.kind === 'other')
    findings.push(`${variable} is ${publicUrl}, where something other than Counterfoil responds: ${answer.what}..`);
  if (answer.kind === 'moved')
    findings.push(
      `${variable} is ${publicUrl}, which redirects to ${answer.to}: browsers that follow the redirect cannot sign in (403), because they are not on ${origin}.`,
    );
  return checked('publicUrl', findings, `Counterfoil responds at ${publicUrl}.`);
}

/** A network with so many addresses is not a list of proxies. */
const MOST_ADDRESSES_BITS = 16;

/** `networks`: those of this machine's interfaces, loopback left out. */
export function checkTrustedProxies({ trustedProxies, publicUrl }: Config, networks: readonly string[]): Checked {
  const { variable } = SETTINGS.trustedProxies;
  if (trustedProxies.length === 0) {
    const findings =
      publicUrl?.startsWith('https:') === true
        ? [
            `${variable} is not set, and ${SETTINGS.publicUrl.variable} is https, so there is a proxy in front: the limits by address treat all its callers as one.`,
          ]
        : [];
    return checked('trustedProxies', findings, 'No proxy is trusted: the connecting address is used.');
  }
  const findings = trustedProxies.flatMap((trusted) => {
    const own = networks.find((network) => widthOf(network) > 0 && isWithin(network, trusted));
    if (own !== undefined) {
      return `${variable} has ${trusted}, which includes the whole network of this machine (${own}): each machine there can forge its address. Name only the proxies.`;
    }
    return widthOf(trusted) < MOST_ADDRESSES_BITS
      ? []
      : `${variable} has ${trusted}, which includes ${addressesIn(trusted)} addresses: each of them can forge its address. Name only the proxies.`;
  });
  return checked('trustedProxies', findings, `Only ${trustedProxies.join(', ')} may set X-Forwarded-For.`);
}

const MIB = 1_048_576;
/** The memory that a process may need under heavy load (operating.md, "Memory"). */
const PROCESS_MIB = 768;

export function checkMemory({ workers }: Config, memoryBytes: number): Checked {
  const has = Math.floor(memoryBytes / MIB);
  const needs = workers * PROCESS_MIB;
  const who = workers === 1 ? 'the service' : `${workers} workers`;
  const findings =
    has < needs ? [`This machine or container has ${has} MiB of memory: ${who} may need ${needs} MiB.`] : [];
  return checked('memory', findings, `${has} MiB of memory: ${who} may need ${needs} MiB.`);
}

/** `answer`: of the public URL that is set; undefined if none is. */
export function checkTls(config: Config, answer: UrlAnswer | undefined): Checked {
  const { mode, publicUrl, eventStore, readModels } = config;
  const findings = [...cautions(config)];
  if (answer?.kind === 'untrusted')
    findings.push(
      `${SETTINGS.publicUrl.variable} is ${publicUrl}, whose certificate this machine does not accept: ${answer.why}.`,
    );
  if (mode === 'live') {
    const plain = [
      [SETTINGS.eventStore.variable, eventStore],
      [SETTINGS.readModels.variable, readModels],
    ] as const;
    for (const [variable, at] of plain) {
      if (isPlain(at)) findings.push(`${variable} is ${shownUrl(at)}: the connection to that store is not encrypted.`);
    }
  }
  const fine =
    publicUrl?.startsWith('https:') === true
      ? 'The certificate of the public URL is accepted.'
      : 'Not needed in test mode.';
  return checked('tls', findings, fine);
}

/** True if a store on another machine is spoken to without TLS. */
function isPlain(at: EventStoreUrl | ReadModelsUrl): boolean {
  if (at.kind === 'sqlite') return false;
  const hosts = at.url.replace(/^[^/]+\/\/(?:[^/?]*@)?([^/?]*).*$/s, '$1').split(',');
  if (hosts.every((host) => isLoopback(host.replace(/:\d+$/, '')))) return false;
  if (at.kind === 'eventstoredb') return /[?&]tls=false\b/i.test(at.url);
  return !at.url.startsWith('mongodb+srv:')
    ? !/[?&](?:tls|ssl)=true\b/i.test(at.url)
    : /[?&](?:tls|ssl)=false\b/i.test(at.url);
}

/** For the stores' files and connections, besides those of callers. */
const OTHER_FILES = 240;

/** `openFiles`: those that a process may have open; undefined if the system does not tell. */
export function checkOpenFiles(config: Config, openFiles: number | undefined): Checked {
  if (openFiles === undefined)
    return checked('openFiles', [], 'This system does not report how many files a process may open.');
  // For trial on one machine a few connections do.
  const needs = isForOthers(config) ? MAX_CONNECTIONS + OTHER_FILES : 1_024;
  const has = openFiles === Number.POSITIVE_INFINITY ? 'any number of files' : `${openFiles} files`;
  const findings =
    openFiles < needs
      ? [
          `A process may open ${has}, and needs up to ${needs}: one for each connection. Raise it: ulimit -n, LimitNOFILE= for systemd, --ulimit nofile= for docker.`,
        ]
      : [];
  return checked('openFiles', findings, `A process may open ${has}, and needs up to ${needs}.`);
}

/** How far clocks of nodes may be apart (deploy/README.md). */
const MOST_APART_MS = 60_000;

export interface Clocks {
  /** Business time here, and that of the newest event of the log; undefined: there is none. */
  readonly now: number;
  readonly newest: number | undefined;
  /** Why the log could not be read. */
  readonly unread?: string;
  readonly machineNow: number;
}

/** `answer`: of the public URL that is set; undefined if none is. */
export function checkClock({ now, newest, unread, machineNow }: Clocks, answer: UrlAnswer | undefined): Checked {
  const findings: string[] = [];
  if (unread !== undefined) findings.push(`The clock cannot be compared with the log: ${unread}`);
  if (newest !== undefined && newest - now > MOST_APART_MS) {
    findings.push(
      `The newest event of the log is ${seconds(newest - now)} ahead of this machine's clock: this clock is slow, or another node's clock was fast.`,
    );
  }
  const date = answer?.kind === 'counterfoil' ? answer.date : undefined;
  if (date !== undefined && Math.abs(date - machineNow) > MOST_APART_MS) {
    const apart = seconds(Math.abs(date - machineNow));
    findings.push(
      `The clock of this machine is ${apart} ${date > machineNow ? 'slower' : 'faster'} than the clock at the public URL.`,
    );
  }
  return checked('clock', findings, 'The clock is within a minute of the log and of the public URL.');
}

/** `unusable`: a sentence for each store that requests could not use. */
export const checkStores = (unusable: readonly string[]): Checked =>
  checked('stores', unusable, 'The stores can be read and written.');

/** `damage`: in a sentence, or the sentence on why the log could not be looked at; undefined if there is none. */
export const checkLog = (damage: string | undefined): Checked =>
  checked(
    'log',
    damage === undefined ? [] : [damage],
    'Categories, indexes and pages of the log agree with its events.',
  );

/** The keys of personal data, or a sentence on why they cannot be used. */
export type KeysOrFault = KeysFound | { readonly fault: string };

export function checkKeys(found: KeysOrFault): Checked {
  if (typeof found === 'object') return checked('keys', [found.fault], '');
  const words = {
    none: 'The log names no key store yet.',
    closed: 'The secret of the store is not here: the keys of personal data were not opened.',
    fits: 'The keys of personal data are those of the log.',
  };
  return checked('keys', [], words[found]);
}

/** `notConserved`: the payments of the read model; undefined: it could not be asked, or there is none yet. */
export function checkConservation(notConserved: number | undefined): Checked {
  if (notConserved === undefined) return checked('conservation', [], 'There are no payments that could be added up.');
  const which = notConserved === 1 ? '1 payment has' : `${notConserved} payments have`;
  const findings =
    notConserved === 0
      ? []
      : [
          `${which} more captured than authorized, or more refunded than captured. Run \`counterfoil audit conservation\`.`,
        ];
  return checked('conservation', findings, 'authorized ≥ captured ≥ refunded, for each payment.');
}

/** Types of statfs: linux/magic.h. */
const NETWORK_FILE_SYSTEMS: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB'],
  [0x00c36400, 'Ceph'],
  [0x5346414f, 'AFS'],
  [0x01021997, '9P'],
]);

/**
 * `type`: of the file system of the data directory, as statfs has it; undefined: there is no such directory yet;
 * `nowhere`: it is a link to nothing.
 */
export function checkDataDir({ dataDir }: Config, type: number | 'nowhere' | undefined): Checked {
  const { variable } = SETTINGS.dataDir;
  if (type === 'nowhere')
    return checked('dataDir', [`${variable} is ${dataDir}, a link that leads nowhere: no start can use it.`], '');
  const network = type === undefined ? undefined : NETWORK_FILE_SYSTEMS.get(type);
  const findings =
    network === undefined
      ? []
      : [
          `${variable} is ${dataDir}, on ${network}: the locks and the shared memory of its files do not work over a network, and damage them. Use a local disk.`,
        ];
  return checked('dataDir', findings, 'The data directory is not on a network file system.');
}

const seconds = (ms: number): string => `${Math.round(ms / 1_000)} s`;

const daysOf = (days: number | undefined): string => (days === undefined ? 'kept for ever' : `${days} days`);

/** A warning once the networks' rules are older than somebody has promised to read them again; `now`: ms. */
export const staleRules = (now: number): readonly string[] =>
  formatTime(now) < REVIEW_BY
    ? []
    : [
        `The card networks' rules about retries in this version were to be read again by ${REVIEW_BY}. They stay in force; look for a newer version.`,
      ];

/** Finds nothing wrong: it shows what leaves, where a mistyped number of days would be noticed late. */
export function checkRetention({ idempotencyDays, requestLogDays, deliveryDays, signInDays }: Config): Checked {
  const kept = [
    `Idempotency keys: ${daysOf(idempotencyDays)}`,
    `requests: ${daysOf(requestLogDays)}`,
    `deliveries: ${daysOf(deliveryDays)}`,
    `expired sign-ins: ${daysOf(signInDays)}`,
  ];
  return checked('retention', [], `${kept.join(', ')}.`);
}

interface Network {
  readonly address: string;
  readonly bits: number;
  readonly isIpv6: boolean;
}

function parsed(network: string): Network {
  const [address = '', bits] = network.split('/');
  const isIpv6 = isIP(address) === 6;
  return { address, isIpv6, bits: bits === undefined ? mostBits(isIpv6) : Number(bits) };
}

const mostBits = (isIpv6: boolean): number => (isIpv6 ? 128 : 32);

/** The bits that are free in it: 0 for a single address. */
function widthOf(network: string): number {
  const { bits, isIpv6 } = parsed(network);
  return mostBits(isIpv6) - bits;
}

/** True if all addresses of `inner` are in `outer`. */
export function isWithin(inner: string, outer: string): boolean {
  const [one, other] = [parsed(inner), parsed(outer)];
  return one.isIpv6 === other.isIpv6 && other.bits <= one.bits && among([outer])(one.address);
}

/** In words. */
function addressesIn(network: string): string {
  const width = widthOf(network);
  return width < 53 ? (2 ** width).toLocaleString('en') : `2^${width}`;
}

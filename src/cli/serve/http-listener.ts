// The listening socket of a service: opened with errors that name the setting, closed without cutting answers off.
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AppError } from '../../app-error.ts';
import { WrongSettings } from '../../config.ts';
import { SETTINGS, type Setting } from '../../settings.ts';
import { type World, within } from '../../world.ts';

export interface Address {
  readonly host: string;
  readonly port: number;
}

type PortSetting = 'port' | 'metricsPort';

/**
 * Answers the URL under which this machine reaches it. Throws AppError PortInUse, and WrongSettings for an address that
 * cannot be had; they name the setting that the port is from.
 */
export async function listen(server: Server, { host, port }: Address, setting: PortSetting = 'port'): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (fault: NodeJS.ErrnoException) =>
      reject(cannotListen(fault, { host, port }, SETTINGS[setting])),
    );
    server.listen({ host, port }, resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string')
    throw new TypeError('a server that listens on a port has no address');
  return urlOf(address);
}

function cannotListen(fault: NodeJS.ErrnoException, { host, port }: Address, { variable, flag }: Setting): Error {
  const where = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  switch (fault.code) {
    case 'EADDRINUSE':
      return new AppError(
        'PortInUse',
        `Another program already listens on ${where}. Stop it, or choose another port: ${flag === undefined ? '' : `${flag.split(' ')[0]} or `}${variable} (0: a free one).`,
      );
    case 'EACCES':
      return new WrongSettings([`${variable} is ${port}: this user may not listen there.`]);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EINVAL':
      return new WrongSettings([
        `${SETTINGS.host.variable} is ${JSON.stringify(host)}: allowed is an address of this machine.`,
      ]);
    default:
      return fault;
  }
}

/** An address that means "all" is named by one that can be called. */
function urlOf({ address, family, port }: AddressInfo): string {
  if (address === '0.0.0.0') return `http://127.0.0.1:${port}`;
  if (address === '::') return `http://[::1]:${port}`;
  return family === 'IPv6' ? `http://[${address}]:${port}` : `http://${address}:${port}`;
}

/** The interval at which connections that have just become idle are closed. */
const SWEEP_EVERY_MS = 50;

/**
 * Stops accepting, lets requests that run finish for `graceMs`, then cuts the rest off. True if no request was cut
 * off.
 */
export async function closeGracefully(server: Server, graceMs: number, world: World): Promise<boolean> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  const outcome = await within(world, graceMs, async (signal) => {
    void sweep(server, signal, world);
    await closed;
  });
  if (outcome !== 'timeout') return true;
  server.closeAllConnections();
  await closed;
  return false;
}

/** A connection that was busy when the server closed stays open after its answer, unless it is closed here. */
async function sweep(server: Server, signal: AbortSignal, world: World): Promise<void> {
  while (!signal.aborted) {
    server.closeIdleConnections();
    await world.sleep(SWEEP_EVERY_MS, signal).catch(() => undefined);
  }
}

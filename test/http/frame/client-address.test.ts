// Whose address a request comes from, with and without proxies that are believed.
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { expect } from 'chai';
import { clientAddress } from '../../../src/http/checks/client-address.ts';

function requestFrom(peer: string, forwarded?: string): IncomingMessage {
  const socket = new Socket();
  Object.defineProperty(socket, 'remoteAddress', { value: peer });
  const request = new IncomingMessage(socket);
  if (forwarded !== undefined) request.headers['x-forwarded-for'] = forwarded;
  return request;
}

describe("a request's address", () => {
  const addressOf = clientAddress(['10.0.0.0/8', '192.0.2.7', 'fd00::/8']);
  const rows: readonly (readonly [string, string, string | undefined, string])[] = [
    ['is what the proxy saw', '10.1.2.3', '203.0.113.9', '203.0.113.9'],
    ['is the last address that no proxy of ours wrote', '10.1.2.3', '1.1.1.1, 203.0.113.9, 192.0.2.7', '203.0.113.9'],
    ['is the peer if that is not a proxy of ours, whatever it says', '198.51.100.4', '203.0.113.9', '198.51.100.4'],
    ['is the proxy itself when it says nothing', '10.1.2.3', undefined, '10.1.2.3'],
    ['is the last proxy if it passes on a text that is not an address', '10.1.2.3', 'unknown', '10.1.2.3'],
    ['is found through a proxy on a socket of both families', '::ffff:10.1.2.3', '203.0.113.9', '203.0.113.9'],
    ['can be of the newer kind', 'fd00::1', '2001:db8::5', '2001:db8::5'],
    ['is the first proxy when all of them are ours', '10.1.2.3', '10.9.9.9', '10.9.9.9'],
  ];
  for (const [what, peer, forwarded, expected] of rows)
    it(what, () => expect(addressOf(requestFrom(peer, forwarded))).to.equal(expected));

  it('is the peer where no proxy is trusted', () => {
    expect(clientAddress([])(requestFrom('10.1.2.3', '203.0.113.9'))).to.equal('10.1.2.3');
  });
});

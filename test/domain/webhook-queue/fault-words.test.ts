// Why a receiver gave no answer, in a sentence for people.
import { expect } from 'chai';
import { faultSentence } from '../../../src/domain/webhook-queue/fault-words.ts';

describe('a fault of a delivery', () => {
  it('is a sentence for each thing that goes wrong on the way, without the words of the network', () => {
    const told = [
      ['connect ECONNREFUSED 127.0.0.1:4369', 'Nothing listens at that address (connection refused).'],
      ['getaddrinfo ENOTFOUND shop.example', 'No address is known for that host name.'],
      ['getaddrinfo EAI_AGAIN shop.example', 'The host name could not be looked up.'],
      ['connect EHOSTUNREACH 10.0.0.9:443', 'No network leads to that address.'],
      ['connect ETIMEDOUT 10.0.0.9:443', 'The receiver did not accept the connection in time.'],
      ['no connection within 5000 ms', 'The receiver did not accept the connection in time.'],
      ['no answer within 10 s', 'The receiver did not respond in time.'],
      ['no answer before the deadline', 'The receiver did not respond in time.'],
      [
        'the connection was closed before a whole answer came',
        'The receiver closed the connection without a response.',
      ],
      ['the address is not public', 'The address is not public, so it is not called.'],
      ['certificate has expired', 'The certificate of the receiver has expired.'],
      [
        "Hostname/IP does not match certificate's altnames: Host: a. is not cert's CN: b",
        'The certificate of the receiver is for another host name.',
      ],
      ['self-signed certificate', 'The certificate of the receiver is not trusted.'],
      ['unable to verify the first certificate', 'The certificate of the receiver is not trusted.'],
      ['no TLS: wrong version number', 'The receiver does not speak TLS at that address.'],
      ['the answer is no HTTP: Expected HTTP/', 'The response was not valid HTTP.'],
    ] as const;
    for (const [fault, sentence] of told) expect(faultSentence(fault), fault).to.equal(sentence);
  });

  it('repeats a fault that nobody has put into words', () => {
    expect(faultSentence('read EIO')).to.equal('There was no response: read EIO.');
  });
});

// URLs that may be an endpoint's, and those that would lead elsewhere than they seem to, or into our own network.
import { expect } from 'chai';
import { endpointUrl } from '../../../src/commands/webhooks/manage-endpoints.ts';
import { isPublic } from '../../../src/receivers/receivers.ts';

const live = (text: string) => endpointUrl(text, 'live', isPublic);
const test = (text: string) => endpointUrl(text, 'test', () => true);

describe('the URL of an endpoint', () => {
  const KEPT: { readonly [text: string]: string } = {
    'https://shop.example': 'https://shop.example/',
    'https://SHOP.example:443/a?b=c#d': 'https://shop.example/a?b=c',
    'https://shop.example:8443/hooks/../take': 'https://shop.example:8443/take',
    'https://münchen.example/': 'https://xn--mnchen-3ya.example/',
    // A name with a Cyrillic letter is seen for what it is.
    'https://\u0430pple.example/': 'https://xn--pple-43d.example/',
    'https://8.8.8.8/': 'https://8.8.8.8/',
    'https://shop.example\\@evil.example/': 'https://shop.example/@evil.example/',
  };
  for (const [text, url] of Object.entries(KEPT))
    it(`is kept as it is called: ${text}`, () => expect(live(text)).to.deep.equal({ url }));

  const REFUSED: { readonly [words: string]: readonly string[] } = {
    'must begin with': [
      '',
      '//shop.example',
      'javascript:alert(1)',
      'file:///etc/passwd',
      'https://[fe80::1%25eth0]/',
      'https://shop.example:65536/',
      'https://',
    ],
    'In live mode the URL must begin with https://.': ['http://shop.example/'],
    'must not contain a user name or a password': [
      'https://user@shop.example/',
      'https://:secret@shop.example/',
      'https://8.8.8.8@127.0.0.1/',
    ],
    'a space or a control character': [
      ' https://shop.example/',
      'https://shop.example/\r\nX-Evil: 1',
      'https://shop\t.example/',
      'https://shop.example/\u0000',
      'https://shop.example/\u2028',
    ],
    'not a port of web servers': [
      'https://shop.example:25/',
      'https://shop.example:22/',
      'https://shop.example:0/',
      'https://8.8.8.8:53/',
    ],
    'at most 1024 characters': [`https://shop.example/${'a'.repeat(1_024)}`, `https://shop.example/${'ü'.repeat(400)}`],
    'a public address': [
      'https://127.0.0.1/',
      'https://2130706433/',
      'https://0x7f000001/',
      'https://0177.0.0.1/',
      'https://127.1/',
      'https://%31%32%37.0.0.1/',
      'https://①②⑦.⓪.⓪.①/',
      'https://127。0。0。1/',
      'https://0/',
      'https://169.254.169.254/latest/meta-data/',
      'https://[::1]/',
      'https://[::]/',
      'https://[::ffff:127.0.0.1]/',
      'https://[::127.0.0.1]/',
      'https://[64:ff9b::127.0.0.1]/',
      'https://[fd00:ec2::254]/',
      'https://localhost/',
      'https://localhost./',
      'https://LOCALHOST/',
      'https://a.localhost/',
      'https://metadata.google.internal/',
    ],
  };
  for (const [words, texts] of Object.entries(REFUSED))
    for (const text of texts)
      it(`is refused: ${JSON.stringify(text).slice(0, 60)}`, () =>
        expect(live(text)).to.have.property('refused').that.includes(words));

  it('may lead to this machine in test mode, on any port but none', () => {
    expect(test('http://127.0.0.1:81/a')).to.deep.equal({ url: 'http://127.0.0.1:81/a' });
    expect(test('http://localhost:4242/')).to.deep.equal({ url: 'http://localhost:4242/' });
    expect(test('http://localhost:0/')).to.have.property('refused');
  });
});

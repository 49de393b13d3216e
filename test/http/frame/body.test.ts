// How a body is read (contract §§1, 7): 256 KiB of JSON in UTF-8, closed, with every violation in one answer.
import { expect } from 'chai';
import { type Answered, errorOf, JSON_TYPE, KEY, type Served, serve } from './serve.ts';

describe('a request body', () => {
  let served: Served;
  before(async () => {
    served = await serve();
  });
  after(() => served.close());

  const patch = (
    body: string | Buffer,
    headers: Record<string, string> = JSON_TYPE,
    chunked = false,
  ): Promise<Answered> =>
    served.ask({ method: 'PATCH', path: '/things/thing_1', headers: { ...KEY, ...headers }, body, chunked });
  const summary = (answer: Answered): unknown => [answer.status, errorOf(answer).errorId];

  it('may be absent where nothing is required, and is {} then', async () => {
    for (const body of [undefined, '', '{}']) {
      const answer = await served.ask({
        method: 'POST',
        path: '/things',
        headers: KEY,
        ...(body !== undefined && { body }),
        ...(body === '{}' && { headers: { ...KEY, ...JSON_TYPE } }),
      });
      expect(answer.status).to.equal(200);
    }
    expect(summary(await patch(''))).to.deep.equal([422, 'RequestValidationError']);
  });

  it('may say its charset, in any spelling of UTF-8 and no other', async () => {
    for (const type of ['application/json; charset=utf-8', 'application/json;charset="UTF-8"', 'Application/JSON']) {
      expect((await patch('{"name":"a"}', { 'content-type': type })).status).to.equal(200);
    }
    for (const type of [
      'application/json; charset=latin1',
      'application/merge-patch+json',
      'text/json',
      'application/jsonx',
      '',
    ]) {
      expect(summary(await patch('{"name":"a"}', { 'content-type': type }))).to.deep.equal([
        415,
        'UnsupportedMediaType',
      ]);
    }
  });

  it('must have a content type and no content encoding', async () => {
    expect((await patch('{"name":"a"}', {})).headers['accept-patch']).to.equal('application/json');
    expect(summary(await patch('{"name":"a"}', {}))).to.deep.equal([415, 'UnsupportedMediaType']);
    expect(summary(await patch('{"name":"a"}', { ...JSON_TYPE, 'content-encoding': 'gzip' }))).to.deep.equal([
      415,
      'UnsupportedMediaType',
    ]);
  });

  it('that is empty has neither type nor encoding', async () => {
    for (const headers of [{ 'content-encoding': 'gzip' }, { 'content-type': 'text/plain' }]) {
      const answer = await served.ask({ method: 'POST', path: '/things', headers: { ...KEY, ...headers }, body: '' });
      expect(answer.status).to.equal(200);
    }
    const chunked = { 'transfer-encoding': 'chunked', 'content-encoding': 'gzip', 'content-type': 'application/json' };
    expect(
      summary(await served.ask({ method: 'POST', path: '/things', headers: { ...KEY, ...chunked } })),
    ).to.deep.equal([415, 'UnsupportedMediaType']);
  });

  it('may have 256 KiB, and not one byte more, whether its length is declared or not', async () => {
    const exactly = `{"name":"a"${' '.repeat(256 * 1024 - 12)}}`;
    for (const chunked of [false, true]) {
      expect((await patch(exactly, JSON_TYPE, chunked)).status).to.equal(200);
      expect(summary(await patch(`${exactly} `, JSON_TYPE, chunked))).to.deep.equal([413, 'PayloadTooLarge']);
    }
  });

  it('leaves the connection usable after a body that was too large', async () => {
    const large = 'x'.repeat(300 * 1024);
    const request = (body: string, more: string): string =>
      `POST /things HTTP/1.1\r\nHost: x\r\nX-Api-Key: all\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n${more}\r\n${body}`;
    const text = await served.raw(request(large, '') + request('{}', 'Connection: close\r\n'));
    expect(text.match(/HTTP\/1\.1 \d+/g)).to.deep.equal(['HTTP/1.1 413', 'HTTP/1.1 200']);
  });

  it('must be UTF-8', async () => {
    for (const bytes of [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xf0, 0x9f, 0x98]]) {
      const body = Buffer.concat([Buffer.from('{"name":"'), Buffer.from(bytes), Buffer.from('"}')]);
      expect(summary(await patch(body))).to.deep.equal([400, 'MalformedJson']);
    }
    const kept = await patch('{"name":"\u{1F600}\uFFFDé"}');
    expect(kept.body).to.deep.equal({ id: 'thing_1', name: '\u{1F600}\uFFFDé' });
  });

  it('must be JSON; the answer does not repeat it', async () => {
    for (const body of [
      '{',
      '{"name": secretive}',
      '{"name":"a"}x',
      "{'name':'a'}",
      'undefined',
      '\uFEFF{"name":"a"}',
      ' ',
    ]) {
      const answer = await patch(body);
      expect(summary(answer)).to.deep.equal([400, 'MalformedJson']);
      expect(answer.text).not.to.contain('secretive');
    }
  });

  it('is an object: any other JSON is a violation of the schema', async () => {
    for (const body of ['[]', '"a"', '5', 'null', 'true']) {
      const answer = await patch(body);
      expect(summary(answer)).to.deep.equal([422, 'RequestValidationError']);
      expect(errorOf(answer).validationErrors?.[0]?.errors[0]?.path).to.equal('$');
    }
  });

  it('has all its violations listed at once, under the name of its model', async () => {
    const answer = await patch('{"name":"too long","amount":-1,"other":1,"a b":2}');
    expect(summary(answer)).to.deep.equal([422, 'RequestValidationError']);
    const [listed, ...more] = errorOf(answer).validationErrors ?? [];
    expect(more).to.deep.equal([]);
    expect(listed?.model).to.equal('Thing');
    expect(listed?.errors.map(({ path }) => path)).to.have.members(['$.name', '$.amount', '$.other', '$["a b"]']);
  });

  it('has a hundred violations listed at most', async () => {
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`m${index}`, 1]));
    const answer = await patch(JSON.stringify({ name: 'a', ...many }));
    expect(errorOf(answer).validationErrors?.[0]?.errors).to.have.length(100);
    expect(errorOf(answer).description).to.contain('100 of 5000');
  });

  it('may not name a prototype', async () => {
    for (const body of [
      '{"name":"a","__proto__":{"amount":1}}',
      '{"name":"a","\\u005f_proto__":1}',
      '{"name":"a","constructor":1}',
    ]) {
      expect(summary(await patch(body))).to.deep.equal([422, 'RequestValidationError']);
    }
  });

  it('names a member once in one object', async () => {
    const answer = await patch('{"name":"a","name":"b"}');
    expect(summary(answer)).to.deep.equal([422, 'RequestValidationError']);
    const [listed] = errorOf(answer).validationErrors ?? [];
    expect(listed?.errors).to.deep.equal([{ path: '$.name', description: 'Must not be repeated within one object.' }]);
  });

  it('survives a hundred thousand brackets', async () => {
    const deep = `{"name":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    expect(summary(await patch(deep))).to.deep.equal([422, 'RequestValidationError']);
  });

  it('must be empty where an operation takes nothing', async () => {
    const answer = await served.ask({
      method: 'POST',
      path: '/things',
      headers: { ...KEY, ...JSON_TYPE },
      body: '{"a":1}',
    });
    expect(summary(answer)).to.deep.equal([422, 'RequestValidationError']);
  });

  it('is ignored on GET', async () => {
    const answer = await served.ask({
      path: '/things',
      headers: { ...KEY, 'content-type': 'text/plain' },
      body: 'x'.repeat(300 * 1024),
    });
    expect(answer.status).to.equal(200);
  });

  it('reaches a raw route character by character', async () => {
    const text = '{ "a" : 1e0,\n "b":"\\u00e9" } trailing';
    const answer = await served.ask({ method: 'POST', path: '/raw', headers: { ...KEY, ...JSON_TYPE }, body: text });
    expect(answer.body).to.deep.equal({ text });
  });
});

describe('a query', () => {
  let served: Served;
  before(async () => {
    served = await serve();
  });
  after(() => served.close());

  it('is closed, and a parameter that takes one value takes it once', async () => {
    expect((await served.ask({ path: '/things?limit=5', headers: KEY })).body).to.deep.equal({ limit: '5' });
    for (const query of ['other=1', 'limit=5&limit=6', '__proto__=1', 'limit', 'limit=x']) {
      const answer = await served.ask({ path: `/things?${query}`, headers: KEY });
      expect([query, answer.status, errorOf(answer).errorId]).to.deep.equal([query, 422, 'RequestValidationError']);
      expect(errorOf(answer).validationErrors?.[0]?.model).to.equal('Query');
    }
  });

  it('may not hold the character U+0000', async () => {
    for (const query of ['limit=5%00', '%00=1']) {
      const answer = await served.ask({ path: `/things?${query}`, headers: KEY });
      expect([answer.status, errorOf(answer).errorId]).to.deep.equal([422, 'RequestValidationError']);
      expect(answer.text).to.contain('U+0000');
    }
  });

  it('is refused where an operation takes none', async () => {
    const answer = await served.ask({ method: 'POST', path: '/things?dry=1', headers: KEY });
    expect([answer.status, errorOf(answer).errorId]).to.deep.equal([422, 'RequestValidationError']);
  });
});

// The image is built from the files that the Dockerfile copies: each configuration that the build reads is among them.
import { expect } from 'chai';
import { readPage } from './pages.ts';

const BUILD = /"build": "(.*)",/;

describe('the image', () => {
  const [, build = ''] = BUILD.exec(readPage('package.json').text) ?? [];
  const configurations = [...build.matchAll(/-p (\S+\.json)/g)].map(([, name = '']) => name);
  const copied = readPage('Dockerfile')
    .text.split('\n')
    .filter((line) => line.startsWith('COPY '))
    .flatMap((line) => line.split(' '));
  const sent = readPage('.dockerignore').text.split('\n');

  it('is built by at least one configuration of the compiler', () => {
    expect(configurations).to.include('tsconfig.build.json');
  });

  it('has the clients, which the build packs into files', () =>
    expect(copied).to.include.members(['client', 'client-python']));

  for (const name of configurations)
    it(`has ${name}, which the build reads`, () => {
      expect(copied).to.include(name);
      expect(sent.some((line) => line === `!${name}` || line === `!${name.split('/')[0]}`)).to.equal(true);
    });
});

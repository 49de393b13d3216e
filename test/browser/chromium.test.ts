// Where the browser tests look for Chromium.
import { expect } from 'chai';
import { chromiumPath } from './support/chromium.ts';

describe('the Chromium of the browser tests', () => {
  it('is the file that CHROME_PATH names', () => {
    expect(chromiumPath({ CHROME_PATH: process.execPath })).to.equal(process.execPath);
  });

  it('is none when CHROME_PATH names no program, whatever else is installed', () => {
    expect(chromiumPath({ ...process.env, CHROME_PATH: '/nowhere/chrome' })).to.equal(undefined);
  });
});

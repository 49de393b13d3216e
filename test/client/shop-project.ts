// A shop's project in TypeScript that uses the client, and the compilers that shops have.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { ROOT } from '../support/root.ts';

/** Each line of TypeScript that the client is compiled with: the oldest one it supports, and the last of each later. */
export const COMPILERS = {
  '5.4': 'test/client/compilers/5.4/node_modules/typescript',
  '5.9': 'web/node_modules/typescript',
  '6.0': 'test/client/compilers/6.0/node_modules/typescript',
  '7.0': 'node_modules/typescript',
} as const;
export type Line = keyof typeof COMPILERS;

const Package = z.object({ version: z.string() });

/** Why this line of TypeScript cannot be tested here; undefined if it can. */
export function compilerLacks(line: Line): string | undefined {
  const path = join(ROOT, COMPILERS[line], 'package.json');
  if (!existsSync(path)) return `TypeScript ${line} is not installed in ${COMPILERS[line]}`;
  const { version } = Package.parse(JSON.parse(readFileSync(path, 'utf8')));
  return version.startsWith(`${line}.`) ? undefined : `${COMPILERS[line]} has TypeScript ${version}`;
}

export interface Project {
  /** The form of its `.js` files, as its package.json has it. */
  readonly type: 'commonjs' | 'module';
  readonly options: { readonly [name: string]: unknown };
}

const SHOP = `
import { Counterfoil, CounterfoilError, signTestWebhook, verifyWebhook, type Payment } from '@counterfoil/client';

export const counterfoil = new Counterfoil({ apiKey: 'cf_test_1', baseUrl: 'http://127.0.0.1:1' });

export function paidWith({ paymentMethod }: Payment): string {
  if (paymentMethod.paymentMethodType === 'PAYMENT_CARD') return paymentMethod.paymentMethodData.last4Digits;
  switch (paymentMethod.paymentMethodType) {
    case 'SEPA_DEBIT':
      return paymentMethod.paymentMethodData?.ibanLast4 ?? '';
    case 'A_LATER_METHOD':
      return '';
    default:
      return paymentMethod.paymentMethodType;
  }
}

export async function orders(): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of counterfoil.payments.list({ status: ['SETTLED'] })) ids.push(id);
  return ids;
}

// A package without types would be \`any\`, which is a number, too.
// @ts-expect-error a client is not a number
export const wrong: number = counterfoil;

console.log(CounterfoilError.is(new Error('another')), typeof verifyWebhook, typeof signTestWebhook);
`;
const SHOP_PRINTS = 'false function function\n';
/** The other form of an import in CommonJS. */
const REQUIRED = `
import client = require('@counterfoil/client');

export const counterfoil: client.Counterfoil = new client.Counterfoil({ apiKey: 'cf_test_1', baseUrl: 'http://127.0.0.1:1' });
`;

/** A folder with the client installed, as a link to the built package. The caller removes it. */
export function shopFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-shop-'));
  mkdirSync(join(folder, 'node_modules/@counterfoil'), { recursive: true });
  symlinkSync(join(ROOT, 'client'), join(folder, 'node_modules/@counterfoil/client'));
  return folder;
}

/**
 * The words of the compiler; empty if the project compiles, with the declarations of the client checked as well. Its
 * library is that of workers: those of Node and of browsers take three times as long to read.
 */
export async function compiled(folder: string, line: Line, { type, options }: Project): Promise<string> {
  rmSync(join(folder, 'built'), { recursive: true, force: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type }));
  writeFileSync(join(folder, 'shop.ts'), SHOP);
  const isCommonjs = type === 'commonjs' && options['moduleResolution'] !== 'bundler';
  const files = isCommonjs ? ['shop.ts', 'required.ts'] : ['shop.ts'];
  if (isCommonjs) writeFileSync(join(folder, 'required.ts'), REQUIRED);
  const compilerOptions = {
    ...{ target: 'es2022', lib: ['es2022', 'webworker'], types: [], skipDefaultLibCheck: true, strict: true },
    ...{ rootDir: '.', outDir: 'built' },
    ...options,
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  return inNode(folder, join(ROOT, COMPILERS[line], 'bin/tsc'), '-p', 'tsconfig.json');
}

/** The difference between what the compiled project prints and what it should; undefined if there is none. */
export async function misprinted(folder: string): Promise<string | undefined> {
  const printed = await inNode(folder, 'built/shop.js');
  return printed === SHOP_PRINTS ? undefined : printed;
}

/** What a program prints, of whatever kind, on this version of Node. */
export function inNode(folder: string, ...args: readonly string[]): Promise<string> {
  const { NODE_OPTIONS: _ours, ...env } = process.env;
  return new Promise((resolve) =>
    execFile(process.execPath, [...args], { cwd: folder, env }, (fault, out, err) =>
      resolve(fault === null || out + err !== '' ? out + err : String(fault)),
    ),
  );
}

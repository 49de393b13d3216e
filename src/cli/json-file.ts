// A file of JSON that a command is given.
import { readFile } from 'node:fs/promises';
import { WrongUsage } from './exit.ts';

/** JSON of any shape: its command says whether it is right. Throws WrongUsage. */
export async function readJsonFile(file: string): Promise<unknown> {
  const text = await readFile(file, 'utf8').catch((fault: Error) => {
    throw new WrongUsage(`${file} cannot be read: ${fault.message}`);
  });
  try {
    return JSON.parse(text);
  } catch (fault) {
    throw new WrongUsage(`${file} is not JSON: ${fault instanceof Error ? fault.message : String(fault)}`);
  }
}

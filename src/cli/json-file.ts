// A file of JSON that a command is given.
import { readFile } from 'node:fs/promises';
import { WrongUsage } from './exit.ts';

/** JSON of any shape: its command says whether it is right. Throws WrongUsage. */
export async function readJsonFile(file: string): Promise<unknown> {
  const bytes = await readFile(file).catch((fault: Error) => {
    throw new WrongUsage(`${file} cannot be read: ${fault.message}`);
  });
  if (isUtf16(bytes)) throw new WrongUsage(`${file} is UTF-16, as PowerShell writes it: save it as UTF-8.`);
  try {
    return JSON.parse(new TextDecoder('utf-8').decode(bytes)); // without a byte order mark
  } catch (fault) {
    throw new WrongUsage(`${file} is not JSON: ${fault instanceof Error ? fault.message : String(fault)}`);
  }
}

/** Of JSON, whose first character is ASCII: by its mark, or by the empty half of that character. */
const isUtf16 = ([first, second]: Buffer): boolean =>
  (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff) || first === 0 || second === 0;

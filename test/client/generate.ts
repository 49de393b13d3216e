// npm run generate: writes the types of the client anew, from the description that a service of this tree answers.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { serveHttp } from '../support/http-service.ts';
import { ROOT } from '../support/root.ts';
import { TYPES_FILE, typesOf } from './generate-types.ts';

const http = await serveHttp({ sandboxInMemory: true });
try {
  const document: unknown = await (await fetch(`http://127.0.0.1:${http.port}/openapi.json`)).json();
  await writeFile(join(ROOT, TYPES_FILE), await typesOf(document));
  console.log(`${TYPES_FILE} is current.`);
} finally {
  await http.stop();
}

// npm run python-types: writes the types of the Python client from the description of the API.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serveHttp } from '../support/http-service.ts';
import { ROOT } from '../support/root.ts';
import { pythonTypes } from './python-types.ts';

const http = await serveHttp({ sandboxInMemory: true });
const answer = await fetch(`http://127.0.0.1:${http.port}/openapi.json`);
writeFileSync(join(ROOT, 'client-python/counterfoil/api_types.py'), pythonTypes(await answer.text()));
await http.stop();

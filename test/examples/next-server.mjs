// A web server around the route handler of the example for Next.js: it calls GET and POST with `new Request(…)`, as
// Next.js does. Takes the bundled handler and the port.
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';

const [, , file = '', port = ''] = process.argv;
const handlers = await import(pathToFileURL(file).href);

createServer(async (incoming, outgoing) => {
  const { method = '', url = '', headers } = incoming;
  const request = new Request(`http://127.0.0.1:${port}${url}`, {
    method,
    headers,
    ...(method === 'POST' && { body: await buffer(incoming) }),
  });
  const path = new URL(request.url).pathname.split('/').filter((part) => part !== '');
  try {
    const response = await handlers[method](request, { params: Promise.resolve(path.length === 0 ? {} : { path }) });
    outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text());
  } catch (fault) {
    console.error(fault);
    outgoing.writeHead(500).end();
  }
}).listen(Number(port), '127.0.0.1');

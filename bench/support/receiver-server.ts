// A merchant's receiver that takes everything at once. GET answers how many messages came.
import { createServer } from 'node:http';

let count = 0;
const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.end(String(count));
    return;
  }
  request.resume();
  request.on('end', () => {
    count += 1;
    response.writeHead(204).end();
  });
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address !== null && typeof address === 'object')
    process.stdout.write(`Listening on http://127.0.0.1:${address.port}\n`);
});

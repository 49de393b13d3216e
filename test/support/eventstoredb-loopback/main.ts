// The process of the EventStoreDB stand-in: `main.ts <port> <directory>`.
import { serveLoopback } from '../loopback-server.ts';
import { openServer } from './server.ts';

const [port = '0', directory = '.'] = process.argv.slice(2);
void openServer(Number(port), directory).then((server) => {
  process.on('SIGTERM', () => server.terminate());
  serveLoopback(server.port, (order) => server.carryOut(order));
});

// The process of the MongoDB stand-in: `main.ts <port> <directory>`.
import { serveLoopback } from '../loopback-server.ts';
import { readOrder } from './orders.ts';
import { MongoDbServer } from './server.ts';

const [port = '0', directory = '.'] = process.argv.slice(2);
void MongoDbServer.open(Number(port), directory).then((server) => {
  serveLoopback(server.port, (order) => server.carryOut(readOrder(order)));
});

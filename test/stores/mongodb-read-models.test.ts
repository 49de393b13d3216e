// MongoDB as a store of read models: the contract of every store, on a stand-in or on the server that MONGODB_URL
// names.
import { logProjectionContract } from '../contract/log-projection.suite.ts';
import { type ReadModelsUnderTest, readModelsContract } from '../contract/read-models.suite.ts';
import { startServer } from './mongodb-server.ts';

const openServer = async (): Promise<ReadModelsUnderTest> => {
  const server = await startServer();
  return { store: await server.open(), another: () => server.open(), dispose: server.dispose };
};
readModelsContract('Read models in MongoDB', openServer);
logProjectionContract('Read models in MongoDB', openServer);

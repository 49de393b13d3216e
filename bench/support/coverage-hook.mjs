// In the measured process: counts the functions that V8 runs on its main thread, and answers by message which ran since
// it was asked last.
import { Session } from 'node:inspector/promises';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  process.on('message', async () => {
    const { result } = await session.post('Profiler.takePreciseCoverage'); // sets all counts to zero
    process.send(
      result.flatMap(({ url, functions }) =>
        functions.map(({ functionName: name, ranges: [{ startOffset: at, count: calls }] }) => ({
          url,
          name,
          at,
          calls,
        })),
      ),
    );
  });
  process.channel.unref();
}

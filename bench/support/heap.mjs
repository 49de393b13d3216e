// Loaded into a service that is measured, beside --expose-gc: on SIGUSR2 it prints the bytes of its heap after a
// collection.
process.on('SIGUSR2', () => {
  globalThis.gc?.();
  globalThis.gc?.();
  process.stdout.write(`Heap ${process.memoryUsage().heapUsed}\n`);
});

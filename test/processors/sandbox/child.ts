// A process of its own on a sandbox's file, to be killed: `child.ts <file> pay | hang <paymentId> | deliver <url> |
// serve <port>`.
import { nodeWith } from './other-node.ts';
import { openOn, report, TestPayment } from './sandbox-setup.ts';

const [, , file = '', task, argument = ''] = process.argv;
const sandbox = await openOn(file);

/** One line for each answer to the caller. */
async function payForEver(payer: number): Promise<void> {
  for (let number = 0; ; number += 1) {
    const payment = new TestPayment(sandbox, `pay_${payer}_${number}`);
    const authorized = await payment.authorize('4242424242424242', 1_000);
    process.stdout.write(`${JSON.stringify([payment.reference('a'), authorized])}\n`);
    const captured = await payment.ask('capture', 'c', 1_000);
    process.stdout.write(`${JSON.stringify([payment.reference('c'), captured])}\n`);
  }
}

if (task === 'pay') await Promise.all(Array.from({ length: 8 }, (_, payer) => payForEver(payer)));
else if (task === 'hang') await new TestPayment(sandbox, argument).authorize('4000009900001044', 1_000);
else if (task === 'deliver') await sandbox.run(argument, new AbortController().signal).catch(report);
else if (task === 'serve') process.stdout.write(`${(await nodeWith(sandbox, { port: Number(argument) })).port}\n`);

// A hundred strangers in a process of their own, who try passwords at once: they take nothing of the thread that the
// service and its test share.

const STRANGERS = 100;
const [url = '', email = ''] = process.argv.slice(2);

/**
 * From the /64s of one provider's customer, and from other networks; a refused one comes again when it was told to.
 * Prints each status.
 */
async function stranger(number: number): Promise<void> {
  const address = number % 2 === 0 ? `2001:db8:0:${(number % 38).toString(16)}::1` : `203.0.${number % 20}.1`;
  const headers = { 'content-type': 'application/json', 'x-csrf': '1', 'x-forwarded-for': address };
  const body = JSON.stringify({ email, password: `wrong password ${number}` });
  for (;;) {
    const answer = await fetch(url, { method: 'POST', headers, body });
    await answer.arrayBuffer();
    process.stdout.write(`${answer.status}\n`);
    if (answer.status === 503) await new Promise((resolve) => setTimeout(resolve, 1_000 + 10 * number));
  }
}

await Promise.all(Array.from({ length: STRANGERS }, (_, number) => stranger(number)));

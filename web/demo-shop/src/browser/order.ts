// The order page while a payment has no end: asks the shop again until it has.

const EVERY_MS = 2_000;

async function look(): Promise<void> {
  const answer = await fetch(location.href);
  const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html');
  const section = fresh.querySelector('main > section');
  if (!answer.ok || section === null) return;
  const old = document.querySelector('main > section');
  if (section.getAttribute('data-tone') === old?.getAttribute('data-tone')) return;
  old?.replaceWith(section);
  document.title = fresh.title;
  document.querySelector<HTMLElement>('main')?.focus();
}

const isWaiting = (): boolean => document.querySelector('main > section')?.getAttribute('data-tone') === 'wait';

async function watch(): Promise<void> {
  while (isWaiting()) {
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    await look().catch(() => undefined); // the next look may fare better
  }
}

void watch();

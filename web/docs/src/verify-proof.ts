// The form on the page about proofs: checks a file in the browser, by the code of counterfoil-verify. It sends nothing.
import { NotProof } from '../../../src/verify/format.ts';
import { type Report, readKey, reportOn } from '../../../src/verify/verify.ts';

const UNDER = 'check-a-file-in-your-browser';

function field(label: string, input: HTMLInputElement): HTMLLabelElement {
  const all = document.createElement('label');
  all.append(label, input);
  return all;
}

function fileInput(name: string): HTMLInputElement {
  const input = document.createElement('input');
  Object.assign(input, { type: 'file', name, accept: '.json,application/json' });
  return input;
}

async function jsonIn(file: File): Promise<unknown> {
  try {
    return JSON.parse(await file.text());
  } catch {
    throw new NotProof(`${file.name} is not JSON.`);
  }
}

function shown({ verdict, findings, open, proof }: Report): readonly HTMLElement[] {
  const said = verdictOf(verdict.isGood, verdict.text);
  const list = document.createElement('ul');
  for (const { isGood, text } of findings) list.append(line(isGood ? 'good' : 'bad', text));
  for (const text of open) list.append(line('open', text));
  if (proof === undefined) return [said, list];
  const events = document.createElement('pre');
  events.tabIndex = 0;
  events.textContent = proof.streams
    .flatMap(({ stream, events: of }) => [stream, ...of.map(({ revision, type }) => `  ${revision}  ${type}`)])
    .join('\n');
  return [said, list, events];
}

function verdictOf(isGood: boolean, text: string): HTMLParagraphElement {
  const said = document.createElement('p');
  said.className = isGood ? 'verdict good' : 'verdict bad';
  said.textContent = text;
  return said;
}

function line(kind: string, text: string): HTMLLIElement {
  const item = document.createElement('li');
  item.className = kind;
  item.textContent = text;
  return item;
}

function prepare(heading: Element): void {
  const form = document.createElement('form');
  form.className = 'verify-proof';
  const key = document.createElement('input');
  Object.assign(key, { name: 'key', autocomplete: 'off', spellcheck: false, required: true });
  const [file, kept] = [fileInput('file'), fileInput('kept')];
  file.required = true;
  const button = document.createElement('button');
  button.textContent = 'Check';
  const result = document.createElement('div');
  result.setAttribute('role', 'status');
  form.append(
    field('The proof or checkpoint', file),
    field('The public key of the service', key),
    field('A checkpoint that you have kept (optional)', kept),
    button,
    result,
  );
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    try {
      const [given, other] = [file.files?.[0], kept.files?.[0]];
      if (given === undefined) return;
      const report = await reportOn({
        file: await jsonIn(given),
        keys: [readKey(key.value)],
        ...(other !== undefined && { kept: await jsonIn(other) }),
      });
      result.replaceChildren(...shown(report));
    } catch (fault) {
      const text = fault instanceof NotProof ? fault.message : `This browser cannot check it: ${String(fault)}`;
      result.replaceChildren(verdictOf(false, text));
    }
  });
  // A browser lets a file be dropped onto the field of a file; the whole form takes it, too.
  form.addEventListener('dragover', (event) => event.preventDefault());
  form.addEventListener('drop', (event) => {
    if (event.target instanceof HTMLInputElement || event.dataTransfer === null) return;
    event.preventDefault();
    file.files = event.dataTransfer.files;
  });
  heading.nextElementSibling?.after(form);
}

const heading = document.getElementById(UNDER);
if (heading !== null) prepare(heading);

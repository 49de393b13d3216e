// Reads Prometheus' text format (version 0.0.4) as strictly as its description words it.
import { expect } from 'chai';

type Labels = { readonly [name: string]: string };
interface Sample {
  readonly name: string;
  readonly labels: Labels;
  readonly value: number;
}
interface Family {
  readonly name: string;
  readonly type: string;
  readonly samples: readonly Sample[];
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const HELP = new RegExp(`^# HELP (${NAME}) (.+)$`);
const TYPE = new RegExp(`^# TYPE (${NAME}) (counter|gauge|histogram|summary|untyped)$`);
const SAMPLE = new RegExp(`^(${NAME})(?:\\{(.*)\\})? (\\S+)$`);
const LABEL = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/;
const SUFFIXES: { readonly [type: string]: readonly string[] } = { histogram: ['_bucket', '_sum', '_count'] };

export class Exposition {
  readonly families: ReadonlyMap<string, Family>;

  constructor(families: ReadonlyMap<string, Family>) {
    this.families = families;
  }

  /** All series of a metric whose labels hold these, summed; 0 when there is none. */
  sum(name: string, labels: Labels = {}): number {
    return this.series(name, labels).reduce((sum, { value }) => sum + value, 0);
  }

  /** The one series with exactly these labels; throws when there is none. */
  value(name: string, labels: Labels = {}): number {
    const found = this.series(name, labels).find(
      (sample) => Object.keys(sample.labels).length === Object.keys(labels).length,
    );
    if (found === undefined) throw new Error(`there is no ${name} ${JSON.stringify(labels)}`);
    return found.value;
  }

  series(name: string, labels: Labels = {}): readonly Sample[] {
    return [...this.families.values()]
      .flatMap(({ samples }) => samples)
      .filter(
        (sample) =>
          sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
      );
  }

  /** The number of series. */
  get size(): number {
    return [...this.families.values()].reduce((sum, { samples }) => sum + samples.length, 0);
  }
}

/** Throws where the text is not what Prometheus reads. */
export function parseExposition(text: string): Exposition {
  expect(text.endsWith('\n'), 'the last line ends').to.equal(true);
  const families = new Map<string, { name: string; type: string; samples: Sample[] }>();
  const helped = new Set<string>();
  let current: { name: string; type: string; samples: Sample[] } | undefined;
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const [, help] = HELP.exec(line) ?? [];
    if (help !== undefined) {
      expect(helped.has(help), `one HELP for ${help}`).to.equal(false);
      helped.add(help);
      continue;
    }
    const [, name, type] = TYPE.exec(line) ?? [];
    if (name !== undefined && type !== undefined) {
      expect(families.has(name), `one TYPE for ${name}`).to.equal(false);
      current = { name, type, samples: [] };
      families.set(name, current);
      continue;
    }
    const sample = sampleOf(line);
    if (current === undefined || !belongs(sample.name, current))
      throw new Error(`${line} stands outside of its metric`);
    current.samples.push(sample);
  }
  for (const family of families.values()) check(family);
  return new Exposition(families);
}

const belongs = (sample: string, { name, type }: Family): boolean =>
  (SUFFIXES[type] ?? ['']).some((suffix) => sample === name + suffix);

function sampleOf(line: string): Sample {
  const [, name, labelText = '', number] = SAMPLE.exec(line) ?? [];
  if (name === undefined || number === undefined) throw new Error(`not a sample: ${line}`);
  const labels: Record<string, string> = {};
  for (let rest = labelText; rest !== ''; ) {
    const [whole, label, value] = LABEL.exec(rest) ?? [];
    if (whole === undefined || label === undefined || value === undefined || label in labels)
      throw new Error(`not labels: ${line}`);
    labels[label] = value;
    rest = rest.slice(whole.length);
  }
  const value = numberOf(number);
  return { name, labels, value };
}

function numberOf(text: string): number {
  if (/^[+-]?Inf$/.test(text)) return text.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  if (/^nan$/i.test(text)) return Number.NaN;
  const value = Number(text);
  if (Number.isNaN(value)) throw new Error(`not a number: ${text}`);
  return value;
}

/** No series twice; a counter ends in `_total` and never falls below 0; a histogram's buckets grow up to its count. */
function check({ name, type, samples }: Family): void {
  const keys = samples.map((sample) => `${sample.name}${JSON.stringify(Object.entries(sample.labels).sort())}`);
  expect(new Set(keys).size, `${name} has no series twice`).to.equal(keys.length);
  if (type === 'counter') {
    expect(name).to.match(/_total$/);
    for (const { value } of samples) expect(value).to.be.at.least(0);
  }
  if (type === 'histogram') checkBuckets(name, samples);
}

function checkBuckets(name: string, samples: readonly Sample[]): void {
  const groups = new Map<string, { le: number; value: number }[]>();
  for (const { name: part, labels, value } of samples.filter((sample) => sample.name === `${name}_bucket`)) {
    const { le = '', ...others } = labels;
    const key = JSON.stringify(Object.entries(others).sort());
    groups.set(key, [...(groups.get(key) ?? []), { le: numberOf(le), value }]);
    expect(part).to.equal(`${name}_bucket`);
  }
  for (const [key, buckets] of groups) {
    const sorted = buckets.toSorted((a, b) => a.le - b.le);
    expect(sorted.map(({ value }) => value)).to.deep.equal(sorted.map(({ value }) => value).toSorted((a, b) => a - b));
    const count = samples.find(
      (one) => one.name === `${name}_count` && JSON.stringify(Object.entries(one.labels).sort()) === key,
    );
    expect(sorted.at(-1)).to.deep.equal({ le: Number.POSITIVE_INFINITY, value: count?.value });
  }
}

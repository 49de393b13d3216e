// Seeded chance: a small fast generator for each actor, so that removing one actor does not change the others.

/** Numbers from 0 up to 1, without 1. */
export type Random = () => number;

/** The generator of a list of labels: the same labels give the same numbers. */
export function randomOf(...labels: readonly (string | number)[]): Random {
  let [a, b, c, d] = seedsOf(labels.join('/'));
  const next = (): number => {
    // sfc32, by Chris Doty-Humphrey: passes PractRand, and costs a few nanoseconds.
    const t = (a + b + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + t;
    c |= 0;
    return (t >>> 0) / 2 ** 32;
  };
  for (let n = 0; n < 12; n += 1) next(); // labels that differ in one letter begin with similar numbers
  return next;
}

function seedsOf(text: string): [number, number, number, number] {
  let [a, b] = [0x9e3779b9, 0x243f6a88];
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    a = Math.imul(a ^ code, 0x85ebca6b);
    b = Math.imul(b ^ (code + index), 0xc2b2ae35);
    a ^= a >>> 13;
    b ^= b >>> 16;
  }
  return [a | 0, b | 0, Math.imul(a, b | 1) | 0, 1];
}

export const chance = (random: Random, probability: number): boolean => random() < probability;

/** An integer from `least` to `most`, both included. */
export const between = (random: Random, least: number, most: number): number =>
  least + Math.floor(random() * (most - least + 1));

/** One value of the list, each as likely as its weight. */
export function weighted<T>(random: Random, list: readonly [readonly [number, T], ...(readonly [number, T])[]]): T {
  let left = random() * list.reduce((sum, [weight]) => sum + weight, 0);
  for (const [weight, value] of list) {
    left -= weight;
    if (left < 0) return value;
  }
  return list[0][1];
}

export function randomBytesOf(random: Random): (size: number) => Uint8Array {
  return (size) => {
    const bytes = new Uint8Array(size);
    for (let at = 0; at < size; at += 4) {
      const value = Math.floor(random() * 2 ** 32);
      for (let byte = 0; byte < 4 && at + byte < size; byte += 1) bytes[at + byte] = value >>> (8 * byte);
    }
    return bytes;
  };
}

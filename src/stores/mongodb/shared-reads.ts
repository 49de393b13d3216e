// Reads of single documents that must be the newest: shared only with requests that came before the question was asked.
import type { ParsedRow } from './stored-row.ts';

interface Question {
  /** Asked already: no call may join it. */
  underWay: Promise<unknown> | undefined;
  /** Still to be asked: later calls join it. */
  next: Promise<ParsedRow | undefined> | undefined;
}

export class SharedReads {
  readonly #read: (id: string) => Promise<ParsedRow | undefined>;
  readonly #questions = new Map<string, Question>();

  /** `read` answers the documents that are there when it is called, or later. */
  constructor(read: (id: string) => Promise<ParsedRow | undefined>) {
    this.#read = read;
  }

  get(id: string): Promise<ParsedRow | undefined> {
    const question = this.#questions.get(id) ?? { underWay: undefined, next: undefined };
    this.#questions.set(id, question);
    question.next ??= this.#ask(id, question);
    return question.next;
  }

  async #ask(id: string, question: Question): Promise<ParsedRow | undefined> {
    await (question.underWay ?? new Promise((turn) => setImmediate(turn)));
    const asked = this.#read(id);
    const ended = asked.then(
      () => undefined,
      () => undefined,
    );
    question.underWay = ended;
    question.next = undefined;
    void ended.then(() => {
      if (question.underWay !== ended) return;
      question.underWay = undefined;
      if (question.next === undefined) this.#questions.delete(id);
    });
    return asked;
  }
}

// The turns of appends whose order in the log is that of their calls, over a call that is lost as well.

/** The turn of one append. */
export interface AppendTurn {
  /**
   * Resolves when the append may be sent: the one before it was sent, or, while a lost one is sent again, all before it
   * are known. Rejects with the fault of one before it: nothing is written after a gap.
   */
  come(mayBeWritten: boolean): Promise<void>;
  /** It was sent, on a call that takes appends. */
  sent(): void;
  /** Its answer did not come, and it will be sent again. */
  lost(): void;
}

interface Before {
  /** Resolves when the append was sent for the first time. */
  readonly sent: Promise<unknown>;
  /** Resolves when the outcomes of the append and of all before it are known. */
  readonly known: Promise<unknown>;
}

const NONE: Before = { sent: Promise.resolve(), known: Promise.resolve() };

export class AppendTurns {
  #last = NONE;
  #underWay = 0;
  /** How many of those were lost once, and how many have failed since none was under way. */
  #lostOrFailed = 0;

  /** Runs an append, which must call the members of its turn. Settles as it does. */
  take<T>(append: (turn: AppendTurn) => Promise<T>): Promise<T> {
    const before = this.#underWay === 0 ? NONE : this.#last;
    let isCounted = false;
    const count = (): void => {
      if (!isCounted) this.#lostOrFailed += 1;
      isCounted = true;
    };
    let sent = (): void => undefined;
    const wasSent = new Promise<void>((resolve) => {
      sent = resolve;
    });
    this.#underWay += 1;
    const outcome = append({
      come: async (mayBeWritten) => {
        await before.sent;
        if (mayBeWritten || this.#lostOrFailed > 0) await before.known;
      },
      sent,
      lost: count,
    }).then(
      (appended) => {
        if (isCounted) this.#lostOrFailed -= 1;
        this.#ended();
        return appended;
      },
      (fault: unknown) => {
        count();
        this.#ended();
        throw fault;
      },
    );
    this.#last = {
      sent: quiet(Promise.race([wasSent, outcome])),
      // without its values, which would hold those of all appends before
      known: quiet(Promise.all([before.known, outcome]).then(() => undefined)),
    };
    return outcome;
  }

  #ended(): void {
    this.#underWay -= 1;
    if (this.#underWay === 0) this.#lostOrFailed = 0;
  }
}

/** The promise, which may have no waiter. */
function quiet<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

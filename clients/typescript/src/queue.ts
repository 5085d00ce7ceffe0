/** A queue without an end, read by one `for await`. Whoever writes never waits. */
export class Queue<T> implements AsyncIterableIterator<T> {
  #items: T[] = [];
  #closed = false;
  #error: unknown;
  #waiting: { resolve: (result: IteratorResult<T>) => void; reject: (error: unknown) => void } | undefined;

  push(item: T): void {
    if (this.#waiting) {
      this.#waiting.resolve({ value: item, done: false });
      this.#waiting = undefined;
    } else {
      this.#items.push(item);
    }
  }

  /** Ends the queue once everything in it is read, with an error if there is one. */
  close(error?: unknown): void {
    this.#closed = true;
    this.#error ??= error;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting && this.#error !== undefined) waiting.reject(this.#error);
    else waiting?.resolve({ value: undefined, done: true });
  }

  next(): Promise<IteratorResult<T>> {
    if (this.#items.length > 0) return Promise.resolve({ value: this.#items.shift() as T, done: false });
    if (!this.#closed) return new Promise((resolve, reject) => (this.#waiting = { resolve, reject }));
    if (this.#error !== undefined) return Promise.reject(this.#error);
    return Promise.resolve({ value: undefined, done: true });
  }

  return(): Promise<IteratorResult<T>> {
    this.#items = [];
    this.close();
    return Promise.resolve({ value: undefined, done: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

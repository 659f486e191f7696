/**
 * Joins what many ask at the same time into one question. While one is being answered the next ones gather, so
 * under load each question to the database is for many, and without load nobody waits.
 *
 * @param ask answers all items, in their order; when it fails, all of them fail.
 */
export function coalesce<Item, Answer>(
  ask: (items: readonly Item[]) => Promise<readonly Answer[]>,
  most = 500,
): (item: Item) => Promise<Answer> {
  interface Waiting {
    readonly item: Item;
    readonly resolve: (answer: Answer) => void;
    readonly reject: (error: unknown) => void;
  }
  let waiting: Waiting[] = [];
  let isAsking = false;

  async function run(): Promise<void> {
    isAsking = true;
    while (waiting.length > 0) {
      const batch = waiting.slice(0, most);
      waiting = waiting.slice(most);
      try {
        const answers = await ask(batch.map((one) => one.item));
        batch.forEach((one, index) => {
          one.resolve(answers[index] as Answer);
        });
      } catch (error) {
        for (const one of batch) one.reject(error);
      }
    }
    isAsking = false;
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      // Whoever else asks in this turn of the event loop comes along.
      if (!isAsking) {
        isAsking = true;
        setImmediate(() => void run());
      }
    });
}

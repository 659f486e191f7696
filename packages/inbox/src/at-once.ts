/** Does the work of each, some at a time. Rejects with the first failure once nothing is at work any more. */
export async function atOnce<Item>(
  count: number,
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const left = items.values();
  let isFailed = false;
  const workers = Array.from({ length: count }, async () => {
    for (const item of left) {
      if (isFailed) return;
      await work(item).catch((error: unknown) => {
        isFailed = true;
        throw error;
      });
    }
  });
  for (const result of await Promise.allSettled(workers))
    if (result.status === 'rejected') throw result.reason;
}

import * as z from 'zod';

/**
 * An array of at most so many items. Unlike the schema library's own bound it is looked at before the items are, so
 * that nobody pays for checking a million of them only to say that there are too many.
 */
export function boundedArray<Item extends z.ZodType>(item: Item, minimum: number, maximum: number) {
  return z.preprocess((value, context) => {
    if (!Array.isArray(value) || value.length <= maximum) return value;
    const message = `must have at most ${maximum} items, found an array of ${value.length} items`;
    context.addIssue({ code: 'custom', input: value, message, params: { code: 'too_many' } });
    return z.NEVER;
  }, z.array(item).min(minimum).max(maximum));
}

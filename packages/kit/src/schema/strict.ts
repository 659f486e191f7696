import type * as z from 'zod';

/** Wrappers through which an object is sent as it is. */
const WRAPPERS = new Set(['optional', 'default', 'prefault', 'nonoptional', 'readonly', 'catch']);

/** Whether what a caller sends has to be an object, with no fields but those that are named. */
export function isStrictObject(schema: z.core.$ZodType): boolean {
  const definition = schema._zod.def as {
    readonly type: string;
    readonly innerType?: z.core.$ZodType;
    readonly in?: z.core.$ZodType;
    readonly catchall?: z.core.$ZodType;
  };
  if (definition.type === 'object') return definition.catchall?._zod.def.type === 'never';
  if (definition.type === 'pipe' && definition.in !== undefined) return isStrictObject(definition.in);
  if (WRAPPERS.has(definition.type) && definition.innerType !== undefined) {
    return isStrictObject(definition.innerType);
  }
  return false;
}

import type { JsonSchema } from '@postern/kit';

/**
 * Joins schemas of objects under one root. Definitions move to the root under names of their own, and
 * references follow them, since a `$ref` counts from the root of its document.
 */
export function joinSchemas(keyword: 'anyOf', schemas: readonly Readonly<JsonSchema>[]): JsonSchema {
  const definitions: JsonSchema = {};
  const parts = schemas.map((schema, index) => {
    const { $defs, ...rest } = schema;
    const rename = (name: string) => `${name}_${index}`;
    const relocate = (reference: string) =>
      reference === '#'
        ? `#/${keyword}/${index}`
        : reference.replace(/^#\/\$defs\/([^/]+)/, (_, name: string) => `#/$defs/${rename(name)}`);
    for (const [name, definition] of Object.entries(($defs as JsonSchema | undefined) ?? {})) {
      definitions[rename(name)] = rewriteReferences(definition, relocate);
    }
    return rewriteReferences(rest, relocate);
  });
  return {
    type: 'object',
    [keyword]: parts,
    ...(Object.keys(definitions).length > 0 ? { $defs: definitions } : {}),
  };
}

/** The same schema with every `$ref` put through a function. */
export function rewriteReferences(schema: unknown, rewrite: (reference: string) => string): unknown {
  if (Array.isArray(schema)) return schema.map((item) => rewriteReferences(item, rewrite));
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [
      key,
      key === '$ref' && typeof value === 'string' ? rewrite(value) : rewriteReferences(value, rewrite),
    ]),
  );
}

import type { Recipient, Variables } from './compiled.ts';

/** Somebody who is nobody, for renderings without a person. */
export function sampleVariables(publicUrl: string): Variables {
  return {
    subscriber: { email: 'ana@example.org', name: 'Ana Example', attributes: {} },
    campaign: { name: 'Sample campaign' },
    list: { name: 'Sample list' },
    project: { name: 'Sample project', sender_address: null },
    unsubscribe_url: `${publicUrl}/p/u/sample`,
    preferences_url: `${publicUrl}/p/s/sample`,
    view_url: `${publicUrl}/p/v/sample`,
  };
}

/** Variables with somebody's own laid over them, objects key by key. */
export function withData(
  variables: Variables,
  data: Readonly<Record<string, unknown>>,
): Recipient['variables'] {
  return merged(variables as unknown as Record<string, unknown>, data) as unknown as Recipient['variables'];
}

function merged(
  under: Readonly<Record<string, unknown>>,
  over: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const result = new Map(Object.entries(under));
  for (const [key, value] of Object.entries(over)) {
    const below = result.get(key);
    result.set(key, isRecord(below) && isRecord(value) ? merged(below, value) : value);
  }
  return Object.fromEntries(result);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

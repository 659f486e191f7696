import * as z from 'zod';

/**
 * Arguments as models send them: numbers and booleans may come as strings, and what may be left out may come as
 * null. What is published is the plain type.
 */

/** A count that is at least 1: above the cap it is lowered to it, below 1 raised to 1. */
export function count(options: {
  readonly fallback: number;
  readonly cap: number;
  readonly description: string;
}) {
  const { fallback, cap, description } = options;
  return z
    .unknown()
    .optional()
    .meta({ type: 'integer', minimum: 1, maximum: cap, default: fallback, description })
    .transform((value, context) => {
      if (value === undefined || value === null || value === '') return fallback;
      const number = typeof value === 'string' ? Number(value.trim()) : value;
      if (typeof number === 'number' && !Number.isNaN(number)) {
        return Math.min(cap, Math.max(1, Math.trunc(number)));
      }
      context.addIssue({ code: 'custom', message: 'must be a whole number' });
      return z.NEVER;
    });
}

/** A switch that is off unless it is turned on. */
export function flag(description: string) {
  return z
    .unknown()
    .optional()
    .meta({ type: 'boolean', default: false, description })
    .transform((value, context) => {
      if (value === undefined || value === null || value === '') return false;
      const text = String(value).trim().toLowerCase();
      if (text === 'true' || text === 'false') return text === 'true';
      context.addIssue({ code: 'custom', message: 'must be true or false' });
      return z.NEVER;
    });
}

/** A text that may be left out; a blank one is none. */
export function optionalText(description: string) {
  return z
    .unknown()
    .optional()
    .meta({ type: 'string', description })
    .transform((value, context) => {
      if (value === undefined || value === null) return null;
      if (typeof value === 'string') return value.trim() === '' ? null : value;
      context.addIssue({ code: 'custom', message: 'must be a text' });
      return z.NEVER;
    });
}

/** A text that has to be there; whether it is blank is for the tool to say. */
export function text(description: string) {
  return z.string({ error: 'must be a text' }).meta({ description });
}

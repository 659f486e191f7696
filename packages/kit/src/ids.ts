import * as z from 'zod';
import type { Clock, Random } from './clock.ts';
import { nowMilliseconds } from './clock.ts';
import { mustBe } from './schema/explain.ts';

/**
 * Identifiers: a prefix that says what the thing is, and a ULID, so that ids sort by the time they were made.
 * Format: https://github.com/ulid/spec (48 bits of milliseconds, 80 bits of chance, Crockford's base 32).
 */

/** Crockford's base 32: digits and capitals without I, L, O, U. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const TIME_DIGITS = 10;
const CHANCE_DIGITS = 16;
const CHANCE_BITS = 80n;
const LATEST_MILLISECOND = 2 ** 48 - 1;

/** Makes an id such as `msg_01HXYZABCDEFGHJKMNPQRSTVWX` of the prefix `msg`. */
export type NewId = (prefix: string) => string;

/**
 * One ULID: 26 characters of Crockford's base 32, in capitals. Two of the same millisecond sort by chance; use
 * {@link idGenerator} where the order of making has to be kept.
 *
 * @throws RangeError when the clock is before 1970 or after the year 10889.
 */
export function ulid(clock: Clock, random: Random): string {
  return encodeUlid(nowMilliseconds(clock), chance(random));
}

/**
 * Gives a function whose ids strictly increase within the process, over all prefixes, even when the clock stands
 * still or goes back: then the last id's random part is counted up instead of being drawn anew.
 */
export function idGenerator(ports: { readonly clock: Clock; readonly random: Random }): NewId {
  let lastMillisecond = -1;
  let lastChance = 0n;
  return (prefix) => {
    const now = nowMilliseconds(ports.clock);
    if (now > lastMillisecond) {
      lastMillisecond = now;
      lastChance = chance(ports.random);
    } else {
      lastChance += 1n;
      if (lastChance >> CHANCE_BITS !== 0n) {
        lastMillisecond += 1;
        lastChance = 0n;
      }
    }
    return `${prefix}_${encodeUlid(lastMillisecond, lastChance)}`;
  };
}

/** Matches the ids of one prefix and nothing else. */
export function idPattern(prefix: string): RegExp {
  if (!/^[a-z]{2,8}$/.test(prefix)) throw new Error(`id prefix ${prefix}: 2 to 8 lower-case letters`);
  return new RegExp(`^${prefix}_[0-9A-HJKMNP-TV-Z]{26}$`);
}

/** Schema of an id with the given prefix; its JSON Schema carries {@link idPattern}. */
export function idSchema(prefix: string): z.ZodString {
  return z
    .string()
    .regex(idPattern(prefix), { error: mustBe(`${prefix}_ and a ULID (26 characters, in capitals)`) });
}

/** 80 bits of chance. */
function chance(random: Random): bigint {
  let value = 0n;
  for (const byte of random.bytes(Number(CHANCE_BITS) / 8)) value = (value << 8n) | BigInt(byte);
  return value;
}

function encodeUlid(milliseconds: number, chanceBits: bigint): string {
  if (milliseconds < 0 || milliseconds > LATEST_MILLISECOND) {
    throw new RangeError(`a ULID cannot hold the time ${milliseconds} ms`);
  }
  return encode(BigInt(milliseconds), TIME_DIGITS) + encode(chanceBits, CHANCE_DIGITS);
}

function encode(value: bigint, digits: number): string {
  let text = '';
  let rest = value;
  for (let index = 0; index < digits; index += 1) {
    text = ALPHABET.charAt(Number(rest & 31n)) + text;
    rest >>= 5n;
  }
  return text;
}

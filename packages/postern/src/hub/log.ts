import { type Logger, pino } from 'pino';
import pretty from 'pino-pretty';
import type { Secret } from '../secrets/secret.ts';

export interface LogOptions {
  readonly level: string;
  /** For a person at a terminal; else one JSON object a line. */
  readonly pretty: boolean;
  /** Blotted out wherever they turn up, beside what {@link Secret} hides by itself. */
  readonly secrets: readonly Secret[];
  /** Where it goes; stderr when absent. */
  readonly write?: (line: string) => void;
}

const STDERR = 2;
/** A secret this short would blot out ordinary words; such ones are refused at the start anyway. */
const SHORTEST_BLOTTED = 8;

/** The log. Lines are written before the call returns, so that the last words of a dying process are not lost. */
export function createLog({ level, pretty: isPretty, secrets, write }: LogOptions): Logger {
  const texts = secrets.map((secret) => secret.reveal()).filter((text) => text.length >= SHORTEST_BLOTTED);
  const blot = (line: string) => texts.reduce((rest, text) => rest.replaceAll(text, '[secret]'), line);
  const destination =
    write !== undefined
      ? { write }
      : isPretty
        ? pretty({ destination: STDERR, sync: true, ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss' })
        : pino.destination({ fd: STDERR, sync: true });
  return pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      hooks: { streamWrite: blot },
    },
    destination,
  );
}

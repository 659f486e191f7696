import type { Log } from '../log.ts';

/** The log of a stdio server: one JSON object a line on stderr, since stdout belongs to the protocol. */
export const stderrLog: Log = {
  debug: () => {},
  info: (fields, message) => writeLine('info', fields, message),
  warn: (fields, message) => writeLine('warn', fields, message),
  error: (fields, message) => writeLine('error', fields, message),
};

function writeLine(level: string, fields: object, message: string): void {
  const plain = Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, value instanceof Error ? value.message : value]),
  );
  process.stderr.write(`${JSON.stringify({ level, message, ...plain })}\n`);
}

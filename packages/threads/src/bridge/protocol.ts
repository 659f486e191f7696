import * as z from 'zod';

/**
 * What the tools' server and the bot say to each other: lines of JSON over one connection. The server opens with its
 * token; after that any number of calls are under way at once, each with an id of its own.
 */

/** The largest message; above what an agent can hand a tool at once (10 MiB), escapes and all. */
export const MAX_MESSAGE_BYTES = 24 * 1_048_576;
/** Before the token is checked nobody gets to send more than it takes. */
export const MAX_HELLO_BYTES = 1_024;
/** While calls are under way the bot says this often that it is alive, in milliseconds. */
export const BEAT_MS = 10_000;
/** Without a word for so long while a call is under way, the bot is taken for dead. */
export const SILENCE_MS = 35_000;

const id = z.int().nonnegative();

export const fromClient = z.discriminatedUnion('type', [
  z.object({ type: z.literal('hello'), token: z.string() }),
  z.object({
    type: z.literal('call'),
    id,
    tool: z.string(),
    input: z.record(z.string(), z.unknown()),
  }),
  z.object({ type: z.literal('cancel'), id }),
]);
export type FromClient = z.infer<typeof fromClient>;

export const fromBot = z.discriminatedUnion('type', [
  z.object({ type: z.literal('welcome') }),
  z.object({ type: z.literal('refused'), reason: z.string() }),
  z.object({ type: z.literal('answer'), id, answer: z.record(z.string(), z.unknown()) }),
  /** The call was not run, for a reason of the bridge's own. */
  z.object({ type: z.literal('failed'), id, reason: z.string() }),
  z.object({ type: z.literal('beat') }),
]);
export type FromBot = z.infer<typeof fromBot>;

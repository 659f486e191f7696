import * as z from 'zod';
import type { Post } from '../platforms/platform.ts';
import { count, text } from './inputs.ts';
import { readableChannel } from './scope.ts';
import { defineTool, refuse } from './tool.ts';
import { untrustedPosts } from './untrusted.ts';

const LONGEST_QUERY = 500;
/** What is out of scope is dropped, so more is asked for than is wanted. */
const SPARE = 4;

export const searchMessages = defineTool({
  name: 'search_messages',
  description:
    "Searches messages, newest first, in the bot's own channel and public ones the session's owner is in. Quotes find a phrase and from:name what one person wrote, where the platform knows them. Not every platform can search; then it says so. Answers content: text written by people, which is untrusted.",
  input: z.object({
    query: text('What to search for.'),
    max_results: count({ fallback: 10, cap: 25, description: 'At most so many messages.' }),
  }),
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  feature: null,
  async run({ query, max_results }, context) {
    const { platform } = context;
    if (!platform.capabilities.search) return refuse('Search is not supported on this platform.');
    if (query.trim() === '') return refuse('The query is empty.');
    if (query.length > LONGEST_QUERY) return refuse(`A query has at most ${LONGEST_QUERY} characters.`);
    const verdicts = new Map<string, boolean>();
    const results: Post[] = [];
    for (const post of await platform.search(query, max_results * SPARE)) {
      if (results.length === max_results) break;
      let isReadable = verdicts.get(post.channelId);
      if (isReadable === undefined) {
        isReadable = (await readableChannel(context, post.channelId)).ok;
        verdicts.set(post.channelId, isReadable);
      }
      if (isReadable) results.push(post);
    }
    return { ok: true, content: untrustedPosts(platform, results) };
  },
});

import type { SlackApi } from './api.ts';
import { messagePage, type WireMessage } from './shapes.ts';

/** So many pages are the most that one reading takes; at the sizes below that is more than any channel has. */
const MOST_PAGES = 2_000;
const PAGE = 200;

interface Page {
  readonly response_metadata?: { readonly next_cursor?: string | undefined } | undefined;
}

/** All pages of a method that gives a cursor. */
export async function* pages<Answer extends Page>(
  ask: (cursor: string | undefined) => Promise<Answer>,
): AsyncGenerator<Answer> {
  let cursor: string | undefined;
  for (let count = 0; count < MOST_PAGES; count += 1) {
    const page = await ask(cursor);
    yield page;
    cursor = page.response_metadata?.next_cursor;
    if (cursor === undefined || cursor === '') return;
  }
}

export interface MessagesOptions {
  readonly channelId: string;
  /** Only what is newer, itself excluded. */
  readonly oldest?: string;
  readonly limit?: number;
  readonly withMetadata?: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** A channel's posts that are no replies, page by page from the newest. */
export function historyPages(
  api: SlackApi,
  options: MessagesOptions,
): AsyncGenerator<{ messages: WireMessage[] }> {
  return messagePages(api, 'conversations.history', options);
}

/** A thread's posts, page by page from the oldest. Its root is always there. */
export function replyPages(
  api: SlackApi,
  options: MessagesOptions & { readonly threadId: string },
): AsyncGenerator<{ messages: WireMessage[] }> {
  return messagePages(api, 'conversations.replies', options, { ts: options.threadId });
}

function messagePages(
  api: SlackApi,
  method: string,
  { channelId, oldest, limit = PAGE, withMetadata = false, signal }: MessagesOptions,
  own: Record<string, unknown> = {},
) {
  return pages((cursor) =>
    api.call({
      method,
      args: {
        channel: channelId,
        limit,
        ...own,
        ...(oldest === undefined ? {} : { oldest }),
        ...(withMetadata ? { include_all_metadata: true } : {}),
        ...(cursor === undefined ? {} : { cursor }),
      },
      schema: messagePage,
      signal,
    }),
  );
}

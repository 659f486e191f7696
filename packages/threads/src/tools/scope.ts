import type { ChannelInfo, Post, PostRef } from '../platforms/platform.ts';
import type { ToolContext } from './tool.ts';

/**
 * Where tools may look: the bot's own channel, and public ones of the same instance or workspace. Links are read,
 * never fetched.
 */

export type Scoped<Found> = ({ readonly ok: true } & Found) | { readonly ok: false; readonly reason: string };

const FOREIGN_LINK = 'The link is not a permalink to a message of this chat server.';
const NO_POST = 'There is no such message, or the bot cannot see it.';
const OUT_OF_SCOPE = "The message is neither in the bot's own channel nor in a public one.";
const OWN_CHANNEL_ONLY = "On this platform messages can be read by link in the bot's own channel only.";

export interface LinkOptions {
  /** Whether the link is followed to read, so that platforms that read in their own channel alone refuse others. */
  readonly isRead: boolean;
}

/** The post a permalink leads to, when it is in scope. */
export async function postOfLink(
  context: ToolContext,
  url: string,
  { isRead }: LinkOptions,
): Promise<Scoped<{ post: Post }>> {
  const { platform } = context;
  // Which links are its own a platform knows once it knows itself.
  await platform.self(context.signal);
  const link = platform.parsePermalink(withoutBrackets(url));
  if (link === null) return { ok: false, reason: FOREIGN_LINK };
  const ownOnly = isRead && platform.capabilities.readsOwnChannelOnly;
  if (ownOnly && link.channelId !== null && !(await isOwn(context, link.channelId))) {
    return { ok: false, reason: OWN_CHANNEL_ONLY };
  }
  if (link.channelId !== null && !(await isInScope(context, link.channelId))) {
    return { ok: false, reason: OUT_OF_SCOPE };
  }
  const ref: PostRef = { channelId: link.channelId ?? context.session.channelId, postId: link.postId };
  const post = await platform.readPost(ref);
  if (post === null) return { ok: false, reason: NO_POST };
  // Where the link names no channel, and where a server answers with something else than it was asked for.
  if (ownOnly && !(await isOwn(context, post.channelId))) return { ok: false, reason: OWN_CHANNEL_ONLY };
  if (!(await isInScope(context, post.channelId))) return { ok: false, reason: OUT_OF_SCOPE };
  return { ok: true, post };
}

/**
 * Whether it is the session's channel, or the bot's own. Only who is in a channel begins a session there; a session
 * of a direct conversation gets at the bot's channel when its owner is in it.
 */
async function isOwn({ platform, session }: ToolContext, channelId: string): Promise<boolean> {
  if (channelId === session.channelId) return true;
  if (channelId !== platform.channelId) return false;
  return session.owner === null || platform.isMember(channelId, session.owner.id);
}

async function isInScope(context: ToolContext, channelId: string): Promise<boolean> {
  if (await isOwn(context, channelId)) return true;
  if (channelId === context.platform.channelId) return false;
  return (await context.platform.channel(channelId))?.visibility === 'public';
}

/** A channel whose messages the session may read: in scope, and open to the session's owner as well as to the bot. */
export async function readableChannel(
  context: ToolContext,
  channelId: string,
): Promise<Scoped<{ channel: ChannelInfo | null }>> {
  const { platform, session } = context;
  if (await isOwn(context, channelId)) return { ok: true, channel: null };
  const channel = await platform.channel(channelId);
  if (channel?.visibility !== 'public') {
    return { ok: false, reason: "The channel is neither the bot's own nor a public one." };
  }
  if (platform.capabilities.readsOwnChannelOnly && !channel.isBotMember) {
    return { ok: false, reason: 'The bot is not a member of that channel; someone has to invite it first.' };
  }
  if (session.owner !== null && !(await platform.isMember(channelId, session.owner.id))) {
    return { ok: false, reason: "The session's owner is not a member of that channel." };
  }
  return { ok: true, channel };
}

/** `<url|label>` and `<url>`, as some platforms write links, without what is around the link. */
function withoutBrackets(url: string): string {
  const text = url.trim();
  return /^<([^<>|]+)(?:\|[^<>]*)?>$/.exec(text)?.[1]?.trim() ?? text;
}

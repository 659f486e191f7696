import {
  type Args,
  channelArg,
  flagArg,
  limitArg,
  type Method,
  memberChannelArg,
  pageOf,
  Refused,
  textArg,
} from './call.ts';
import { directChannelWith, type StoredChannel, type StoredMessage } from './world.ts';

export const conversationMethods: Readonly<Record<string, Method>> = {
  'conversations.history'(args, context) {
    const channel = memberChannelArg(context, args);
    const roots = (context.world.messages.get(channel.id) ?? []).filter(
      ({ threadTs, ts, subtype }) => threadTs === null || threadTs === ts || subtype === 'thread_broadcast',
    );
    const found = roots.filter(inTime(args)).reverse();
    const { page, ...rest } = pageOf(found, args, limitArg(args, 100, 999), ({ ts }) => ts);
    const withMetadata = flagArg(args, 'include_all_metadata');
    return { messages: page.map((message) => context.world.wire(message, withMetadata)), ...rest };
  },

  'conversations.replies'(args, context) {
    const channel = memberChannelArg(context, args);
    const root = context.world.find(channel.id, textArg(args, 'ts'));
    if (root === null) throw new Refused('thread_not_found');
    const isReply = root.threadTs !== null && root.threadTs !== root.ts;
    const replies = (context.world.messages.get(channel.id) ?? []).filter(
      ({ threadTs, ts }) => threadTs === root.ts && ts !== root.ts,
    );
    // Of a reply's own id Slack gives that reply alone.
    const found = isReply ? [root] : [root, ...replies.filter(inTime(args))];
    const { page, ...rest } = pageOf(found, args, limitArg(args, 1_000, 1_000), ({ ts }) => ts);
    const withMetadata = flagArg(args, 'include_all_metadata');
    return { messages: page.map((message) => context.world.wire(message, withMetadata)), ...rest };
  },

  'conversations.info'(args, context) {
    return { channel: wireChannel(channelArg(context, args), context.world.bot.id) };
  },

  'conversations.members'(args, context) {
    const channel = channelArg(context, args);
    const { page, ...rest } = pageOf([...channel.members], args, limitArg(args, 100, 1_000), (id) => id);
    return { members: page, ...rest };
  },

  'conversations.open'(args, { world }) {
    const user = world.users.get(textArg(args, 'users'));
    if (user === undefined) throw new Refused('user_not_found');
    if (user.deleted) throw new Refused('user_disabled');
    if (user.isBot) throw new Refused('cannot_dm_bot');
    return { channel: { id: directChannelWith(world, user.id).id } };
  },

  'users.conversations'(args, { world }) {
    const types = textArg(args, 'types') || 'public_channel';
    const found = [...world.channels.values()].filter(
      ({ kind, members }) => members.has(world.bot.id) && types.includes(kind === 'im' ? 'im' : kind),
    );
    const { page, ...rest } = pageOf(found, args, limitArg(args, 100, 999), ({ id }) => id);
    return { channels: page.map((channel) => wireChannel(channel, world.bot.id)), ...rest };
  },

  'users.info'(args, { world }) {
    const user = world.users.get(textArg(args, 'user'));
    if (user === undefined) throw new Refused('user_not_found');
    return { user: wireUser(user) };
  },

  'users.list'(args, { world }) {
    const { page, ...rest } = pageOf(
      [...world.users.values()],
      args,
      limitArg(args, 100, 1_000),
      ({ id }) => id,
    );
    return { members: page.map(wireUser), ...rest };
  },
};

function inTime(args: Args): (message: StoredMessage) => boolean {
  const oldest = Number(textArg(args, 'oldest') || '0');
  const latest = Number(textArg(args, 'latest') || Number.POSITIVE_INFINITY);
  const isInclusive = flagArg(args, 'inclusive');
  return ({ ts }) => {
    const at = Number(ts);
    return isInclusive ? at >= oldest && at <= latest : at > oldest && at < latest;
  };
}

function wireChannel(channel: StoredChannel, botId: string): Record<string, unknown> {
  const { id, name, kind, members } = channel;
  if (kind === 'im') return { id, is_im: true, user: name };
  return { id, name, is_channel: true, is_private: kind === 'private', is_member: members.has(botId) };
}

function wireUser(user: { id: string; name: string; displayName: string; isBot: boolean; deleted: boolean }) {
  const { id, name, displayName, isBot, deleted } = user;
  return {
    id,
    name,
    deleted,
    is_bot: isBot,
    profile: { display_name: displayName, real_name: displayName || name },
  };
}

import { type Method, memberChannelArg, messageArg, Refused, structuredArg, textArg } from './call.ts';
import { addMessage, changeMessage, changeReaction, removeMessage } from './changes.ts';
import { wireReactions } from './world.ts';

const MOST_POSTED = 40_000;
const MOST_UPDATED = 4_000;
const EMOJI = /^[a-z0-9_+'-]+(?:::skin-tone-[2-6])?$/;

export const chatMethods: Readonly<Record<string, Method>> = {
  'chat.postMessage'(args, context) {
    const { world } = context;
    const channel = memberChannelArg(context, args);
    const text = textArg(args, 'text');
    if (text === '') throw new Refused('no_text');
    if ([...text].length > MOST_POSTED) throw new Refused('msg_too_long');
    const threadTs = textArg(args, 'thread_ts') || null;
    if (threadTs !== null && world.find(channel.id, threadTs) === null) throw new Refused('thread_not_found');
    const message = addMessage(context, {
      channel: channel.id,
      text,
      threadTs,
      user: world.bot.id,
      botId: world.bot.botId,
      metadata: structuredArg(args, 'metadata'),
    });
    return { channel: channel.id, ts: message.ts, message: world.wire(message, true) };
  },

  'chat.update'(args, context) {
    const message = messageArg(context, args, 'ts');
    const text = textArg(args, 'text');
    if (message.user !== context.world.bot.id) throw new Refused('cant_update_message');
    if (text === '') throw new Refused('no_text');
    if ([...text].length > MOST_UPDATED) throw new Refused('msg_too_long');
    changeMessage(context, message, text);
    return { channel: message.channel, ts: message.ts, text };
  },

  'chat.delete'(args, context) {
    const message = messageArg(context, args, 'ts');
    if (message.user !== context.world.bot.id) throw new Refused('cant_delete_message');
    removeMessage(context, message);
    return { channel: message.channel, ts: message.ts };
  },

  'reactions.add'(args, context) {
    const message = messageArg(context, args, 'timestamp');
    const name = textArg(args, 'name');
    if (!EMOJI.test(name)) throw new Refused('invalid_name');
    if (!changeReaction(context, message, context.world.bot.id, name, true))
      throw new Refused('already_reacted');
    return {};
  },

  'pins.add'(args, context) {
    const message = messageArg(context, args, 'timestamp');
    if (message.isPinned) throw new Refused('already_pinned');
    message.isPinned = true;
    return {};
  },

  'reactions.remove'(args, context) {
    const message = messageArg(context, args, 'timestamp');
    const name = textArg(args, 'name');
    if (!changeReaction(context, message, context.world.bot.id, name, false))
      throw new Refused('no_reaction');
    return {};
  },

  'reactions.get'(args, context) {
    const message = messageArg(context, args, 'timestamp');
    const reactions = wireReactions(message);
    const wire = { ...context.world.wire(message), ...(reactions.length === 0 ? {} : { reactions }) };
    return { type: 'message', channel: message.channel, message: wire };
  },
};

import { announce, placeOf } from './call.ts';
import type { Sockets } from './sockets.ts';
import type { StoredMessage, World } from './world.ts';

/** Changes to a workspace, whoever makes them, each with the event that Slack sends for it. */

export interface Place {
  readonly world: World;
  readonly sockets: Sockets;
}

export function addMessage(
  place: Place,
  given: Partial<StoredMessage> & Pick<StoredMessage, 'channel' | 'text'>,
): StoredMessage {
  const message = place.world.add(given);
  announce(place, message);
  return message;
}

export function changeMessage(place: Place, message: StoredMessage, text: string): void {
  const before = place.world.wire(message);
  message.text = text;
  message.editedTs = place.world.newTs();
  emitChange(place, message, before);
}

export function emitChange({ world, sockets }: Place, message: StoredMessage, before: unknown): void {
  const channel = world.channels.get(message.channel);
  if (channel === undefined || !channel.members.has(world.bot.id)) return;
  const ts = world.newTs();
  sockets.emit({
    type: 'message',
    subtype: 'message_changed',
    hidden: true,
    message: world.wire(message),
    previous_message: before,
    ...placeOf(channel),
    ts,
    event_ts: ts,
  });
}

/** A root with replies leaves a tombstone. */
export function removeMessage(place: Place, message: StoredMessage): void {
  const { world, sockets } = place;
  const list = world.messages.get(message.channel) ?? [];
  const before = world.wire(message);
  if (list.some(({ threadTs }) => threadTs === message.ts)) {
    message.subtype = 'tombstone';
    message.text = 'This message was deleted.';
    emitChange(place, message, before);
    return;
  }
  list.splice(list.indexOf(message), 1);
  const channel = world.channels.get(message.channel);
  if (channel === undefined || !channel.members.has(world.bot.id)) return;
  const ts = world.newTs();
  sockets.emit({
    type: 'message',
    subtype: 'message_deleted',
    hidden: true,
    deleted_ts: message.ts,
    previous_message: before,
    ...placeOf(channel),
    ts,
    event_ts: ts,
  });
}

/** False when the reaction was there, or was not there, already. */
export function changeReaction(
  { world, sockets }: Place,
  message: StoredMessage,
  user: string,
  name: string,
  isAdded: boolean,
): boolean {
  const users = message.reactions.get(name) ?? [];
  if (users.includes(user) === isAdded) return false;
  const left = isAdded ? [...users, user] : users.filter((each) => each !== user);
  if (left.length === 0) message.reactions.delete(name);
  else message.reactions.set(name, left);
  if (world.channels.get(message.channel)?.members.has(world.bot.id) !== true) return true;
  sockets.emit({
    type: isAdded ? 'reaction_added' : 'reaction_removed',
    user,
    reaction: name,
    item: { type: 'message', channel: message.channel, ts: message.ts },
    ...(message.user === null ? {} : { item_user: message.user }),
    event_ts: world.newTs(),
  });
  return true;
}

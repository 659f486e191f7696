import { addReaction } from './operations/add-reaction.ts';
import { createChannel } from './operations/create-channel.ts';
import { deleteMessage } from './operations/delete-message.ts';
import { editMessage } from './operations/edit-message.ts';
import { listChannels } from './operations/list-channels.ts';
import { listMessages } from './operations/list-messages.ts';
import { postMessage } from './operations/post-message.ts';
import { readAttachment } from './operations/read-attachment.ts';
import { removeReaction } from './operations/remove-reaction.ts';
import { streamEvents } from './operations/stream-events.ts';

/** All operations of the local chat; their routes hang under `/local/api`. */
export const localChatOperations = [
  createChannel,
  listChannels,
  postMessage,
  listMessages,
  editMessage,
  deleteMessage,
  addReaction,
  removeReaction,
  readAttachment,
  streamEvents,
] as const;

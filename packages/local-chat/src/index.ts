export type { AttachmentFile, NewAttachment } from './attachments.ts';
export { type ChatLimits, defaultChatLimits } from './limits.ts';
export { chatMigrations } from './migrations.ts';
export { type LocalChatMount, mountLocalChat } from './mount.ts';
export type { ChatContext, ChatRights } from './operation.ts';
export { localChatOperations } from './operations.ts';
export type { ChatPort } from './port.ts';
export type { NewMessage } from './posting.ts';
export { type ChatOptions, type ChatService, createChatService } from './service.ts';
export type {
  ChatAttachment,
  ChatChannel,
  ChatEvent,
  ChatMessage,
  ChatPerson,
  ChatReaction,
} from './shapes.ts';
export type { ChatTables } from './tables.ts';
